// A document, opened at a chunk. Where the server has it, it is shown whole, with
// a rail beside what the run was shown of it; elsewhere that is all there is.

import { h, words } from "./dom.js";
import { collectionName, part, title } from "./say.js";

export class Reader {
  // fetch returns the document of a hit in the form of /v1/read; null where there
  // is no server to ask.
  constructor(fetch) {
    this.fetch = fetch;
    this.heading = h("h2", { id: "reader-title" });
    this.place = h("p", { class: "place" });
    this.body = h("div", { class: "document", tabindex: "0" });
    this.close = h("button", { type: "button", class: "quiet", on: { click: () => this.element.close() } }, "Close ", h("kbd", {}, "Esc"));
    this.element = h("dialog", { class: "reader", "aria-labelledby": "reader-title" },
      h("header", {}, h("div", {}, this.heading, this.place), this.close), this.body);
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.element.close(); // beside it
    });
  }

  // open shows the document of a hit. Run may be null.
  async open(hit, run) {
    const seen = run?.ofDocument(hit.collection, hit.document) ?? [];
    this.heading.replaceChildren(words("span", "", title(hit)));
    this.place.replaceChildren(words("span", "", [collectionName(hit.collection ?? ""), hit.path || hit.document].filter(Boolean).join(" · ")));
    this.body.replaceChildren(h("p", { class: "quiet" }, "Opening…"));
    if (!this.element.open) this.element.showModal();
    let chunks = seen.map((chunk) => chunk.hit), note = "What the run was shown of this document.";
    if (this.fetch) {
      try {
        const whole = await this.fetch(hit);
        chunks = whole.chunks;
        note = "";
      } catch (problem) {
        note = `${problem.message} What the run was shown of this document:`;
      }
    }
    this.body.replaceChildren(note && h("p", { class: "quiet" }, note), ...this.chunks(chunks, hit, seen));
    const at = this.body.querySelector(".here");
    at?.scrollIntoView({ block: "start" });
    this.body.focus({ preventScroll: true });
  }

  chunks(chunks, hit, seen) {
    const states = new Map(seen.map((chunk) => [chunk.hit.chunk, chunk]));
    let last = null;
    return chunks.map((chunk) => {
      const known = states.get(chunk.chunk);
      const gap = last && chunk.ordinal !== undefined && last.ordinal !== undefined && chunk.ordinal !== last.ordinal + 1;
      last = chunk;
      return h("section", { class: `passage${chunk.chunk === hit.chunk ? " here" : ""}${gap ? " gap" : ""}`, "data-state": known && (known.rank ? "ranked" : known.pruned ? "pruned" : "shown") },
        h("p", { class: "margin" }, h("span", {}, part(chunk)), known && h("span", { class: "fate" }, fate(known))),
        chunk.text ? words("p", "text", chunk.text.replace(/\n+$/, "")) : h("p", { class: "quiet" }, "The text was left out of this page."));
    });
  }
}

function fate(chunk) {
  if (chunk.rank) return `ranked ${chunk.rank}`;
  if (chunk.pruned) return `pruned, turn ${chunk.pruned}`;
  return `shown, turn ${chunk.turn}`;
}
