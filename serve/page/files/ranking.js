// What the run found: the selected documents with the reasons for them, and
// behind them what else was shown.

import { h, reveal, words } from "./dom.js";
import { count, place, title, tool } from "./say.js";

export class Ranking {
  constructor(run, cards, read) {
    Object.assign(this, { run, cards, read });
    this.element = h("section", { class: "panel ranking", "aria-label": "Ranking", hidden: true });
  }

  update() {
    const { end } = this.run;
    if (!end || !this.element.hidden) return; // an end does not change any more
    this.element.hidden = false;
    const ranking = end.ranking ?? [];
    const selected = ranking.filter((r) => r.selected), rest = ranking.filter((r) => !r.selected);
    this.element.append(h("h2", {}, selected.length ? count(selected.length, "document") + " found" : "Nothing selected"));
    if (!selected.length) {
      this.element.append(h("p", { class: "quiet" }, rest.length ? "The search chose nothing; these were shown on the way." : "Nothing was shown that could support an answer."));
    }
    if (end.failure) this.element.append(words("p", "failure", end.failure.message));
    const seen = new Set();
    for (const warning of end.warnings ?? []) {
      if (!seen.has(warning)) this.element.append(words("p", "warning", warning));
      seen.add(warning);
    }
    if (selected.length) this.element.append(this.list(selected));
    if (!rest.length) return;
    this.element.append(h("details", { class: "rest", open: !selected.length },
      h("summary", {}, selected.length ? `${count(rest.length, "more document")} shown on the way` : count(rest.length, "document")), this.list(rest)));
  }

  list(ranked) {
    return h("ol", {}, ranked.map((entry) => this.entry(entry)));
  }

  entry(entry) {
    const chunks = this.run.ofDocument(entry.collection, entry.document);
    const first = chunks.find((chunk) => (entry.chunks ?? []).includes(chunk.hit.chunk)) ?? chunks[0];
    const hit = first?.hit ?? entry;
    return h("li", { class: entry.selected ? "selected" : "", "data-document": entry.document },
      h("span", { class: "rank" }, String(entry.rank)),
      h("div", {},
        h("button", { type: "button", class: "plain open", on: { click: () => this.read(hit) } }, words("span", "title", title(entry))),
        words("p", "place", place(hit)),
        entry.justification && words("p", "why", entry.justification),
        first && entry.selected && h("button", { type: "button", class: "plain found", on: { click: () => reveal(this.cards.of(first)) } },
          `turn ${first.turn}, ${tool(first.tool)}`, first.query && words("q", "", first.query))));
  }
}
