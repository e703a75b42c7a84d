// Keys, and the list of them. Where text is written they are letters.

import { h, reveal } from "./dom.js";

export class Keys {
  // Goes to places by go(path).
  constructor(go) {
    this.keys = [
      ["/", "ask a question", () => { go("/"); document.getElementById("question")?.focus(); }],
      ["c", "collections", () => go("/collections")],
      ["j", "next turn", () => step(1)],
      ["k", "turn before", () => step(-1)],
      ["e", "export the run", () => document.querySelector(".actions a.export")?.click()],
      ["?", "these keys", () => this.element.showModal()],
    ];
    this.element = h("dialog", { class: "keys", "aria-label": "Keys" },
      h("h2", {}, "Keys"),
      h("dl", {}, this.keys.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what))),
        h("div", {}, h("dt", {}, h("kbd", {}, "Esc")), h("dd", {}, "close what is open"))),
      h("form", { method: "dialog" }, h("button", { class: "quiet" }, "Close")));
    addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    const found = this.keys.find(([key]) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found[2]();
  }
}

// step moves from the turn at the top of the window to one beside it.
function step(by) {
  const turns = [...document.querySelectorAll(".turn")];
  if (!turns.length) return;
  const focused = turns.indexOf(document.activeElement?.closest(".turn"));
  const top = turns.findLastIndex((turn) => turn.getBoundingClientRect().top < 120);
  const to = turns[Math.max(0, Math.min(turns.length - 1, (focused >= 0 ? focused : top) + by))];
  to.focus({ preventScroll: true });
  reveal(to, "start");
}
