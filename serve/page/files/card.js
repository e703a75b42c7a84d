// A chunk as a card: one line to recognise it by, its text behind it. A pruned
// one is struck through and stays, as nothing is ever lost.

import { h, words } from "./dom.js";
import { led, number, place, title } from "./say.js";
import { inView } from "./trajectory.js";

// Cards are all cards of a run, so that what becomes of a chunk shows wherever
// it stands.
export class Cards {
  constructor(read) {
    this.read = read; // opens a document at a chunk
    this.at = null; // the turn whose view is looked at; null is now
    this.cards = new Map(); // by chunk
  }

  // card makes the card of a chunk as one part of a result showed it.
  card(chunk, part) {
    const hit = part.chunk;
    const mark = h("span", { class: "mark" });
    const note = h("span", { class: "note" });
    const text = shown(part);
    const element = h("details", { class: "chunk", "data-chunk": chunk.name },
      h("summary", {},
        mark,
        h("span", { class: "lines" },
          words("span", "title", title(hit)),
          h("span", { class: "excerpt", dir: "auto" }, note, chunk.led && words("span", "lead", led(chunk.led)), excerpt(text, hit.title)))),
      h("div", { class: "inside" },
        h("p", { class: "place" }, words("span", "path", place(hit)), hit.heading && hit.heading !== hit.title && words("span", "heading", hit.heading)),
        text ? words("p", "text", text.trim()) : h("p", { class: "quiet" }, "The text was left out of this page."),
        h("p", { class: "about" },
          chunk.handle && h("code", {}, chunk.handle), h("span", {}, `${number(hit.tokens)} tokens${part.bytes ? ", of which this was shown" : ""}`),
          h("button", { type: "button", class: "plain", on: { click: () => this.read(hit) } }, "Open document"))));
    const card = { element, mark, note };
    this.cards.set(chunk, [...(this.cards.get(chunk) ?? []), card]);
    this.paint(chunk);
    return element;
  }

  // paint brings the cards of a chunk up to date.
  paint(chunk) {
    const [state, note] = this.at ? stood(chunk, this.at) : standing(chunk);
    for (const card of this.cards.get(chunk) ?? []) {
      card.element.dataset.state = state;
      card.mark.textContent = state === "ranked" ? chunk.rank : "";
      card.note.textContent = note;
    }
  }

  paintAll() {
    for (const chunk of this.cards.keys()) this.paint(chunk);
  }

  // of is the card at which a chunk was first shown.
  of(chunk) {
    return this.cards.get(chunk)?.[0].element;
  }
}

// shown is what of a chunk's text was shown: all, unless there was no room.
function shown({ chunk, bytes }) {
  const text = chunk.text ?? "";
  return bytes ? new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytes)) : text;
}

function standing(chunk) {
  if (chunk.rank) return ["ranked", chunk.pruned ? `in the ranking, pruned in turn ${chunk.pruned}` : "in the ranking"];
  if (chunk.pruned) return ["pruned", `pruned in turn ${chunk.pruned}`];
  if (chunk.restored) return ["shown", `restored in turn ${chunk.restored}`];
  return ["shown", ""];
}

// stood is how a chunk stood when a turn began.
function stood(chunk, { rollout, turn }) {
  const seen = inView(chunk, rollout, turn);
  if (seen === undefined) return ["later", ""];
  return seen ? ["shown", ""] : ["pruned", "pruned before"];
}

// excerpt is the beginning of a text in one line, without the title that stands
// above it anyway.
function excerpt(text, above) {
  const line = text.slice(0, 600).replace(/\s+/g, " ").replace(/^[#\s]+/, "").trim();
  const rest = above && line.startsWith(above) ? line.slice(above.length).replace(/^[\s.:,–-]+/, "") : line;
  return (rest || line).slice(0, 200);
}
