// How the run came to its documents: from the question by searches, and from one
// document to the next by what its text refers to.

import { h, words } from "./dom.js";
import { led, title, tool } from "./say.js";

const key = (collection, document) => `${collection ?? ""}\n${document}`;

export class Chain {
  constructor(run, read) {
    Object.assign(this, { run, read });
    this.element = h("section", { class: "panel chain", "aria-label": "Chain", hidden: true });
  }

  update() {
    if (!this.run.end || !this.element.hidden) return;
    const roots = trace(this.run);
    const [first] = roots;
    if (!first || roots.every((node) => node.how === first.how && !node.next.length)) return; // one search found them all
    this.element.hidden = false;
    this.element.append(h("h2", {}, "How they were found"),
      h("ul", { class: "tree root" }, h("li", {}, h("p", { class: "node question" }, h("span", { class: "dot" }, "?"), "The question"), this.branches(roots))));
  }

  branches(nodes) {
    if (!nodes.length) return null;
    return h("ul", { class: "tree" }, nodes.map((node, i) => h("li", { class: i && nodes[i - 1].how === node.how ? "same" : null },
      !(i && nodes[i - 1].how === node.how) && words("p", "edge", node.how),
      h("p", { class: "node", "data-rank": node.rank || null },
        h("span", { class: "dot" }, node.rank ? String(node.rank) : ""),
        h("button", { type: "button", class: "plain", on: { click: () => this.read(node.hit) } }, words("span", "title", title(node.hit)))),
      this.branches(node.next))));
  }
}

// trace finds, for each selected document and all that led to it, the chunk of it
// that was met first and why. A document that was met by a link hangs below the
// one that refers to it.
function trace(run) {
  const first = new Map(), byName = new Map();
  for (const chunk of run.seen()) {
    const at = key(chunk.hit.collection, chunk.hit.document);
    if (!first.has(at)) first.set(at, chunk);
    byName.set(`${chunk.rollout} ${chunk.name}`, chunk);
  }
  const from = (chunk) => {
    const lead = chunk.hit.lead;
    if (!lead) return null;
    const source = byName.get(`${chunk.rollout} ${run.rollouts.get(chunk.rollout).name(chunk.hit.collection, lead.from)}`);
    return source ? key(source.hit.collection, source.hit.document) : null;
  };
  const nodes = new Map();
  const add = (at) => {
    if (!nodes.has(at) && first.has(at)) {
      const chunk = first.get(at);
      nodes.set(at, { hit: chunk.hit, chunk, rank: 0, next: [], hung: false });
      const above = from(chunk);
      if (above && above !== at) add(above);
    }
    return nodes.get(at);
  };
  for (const ranked of (run.end.ranking ?? []).filter((r) => r.selected)) {
    const node = add(key(ranked.collection, ranked.document));
    if (node) node.rank = ranked.rank;
  }
  const roots = [];
  for (const [at, node] of nodes) {
    const above = from(node.chunk), lead = node.chunk.hit.lead;
    if (above && above !== at && nodes.has(above)) {
      node.how = led(lead);
      nodes.get(above).next.push(node);
    } else {
      node.how = `${tool(node.chunk.tool)}${node.chunk.query ? ` “${node.chunk.query}”` : ""}`;
      roots.push(node);
    }
  }
  return roots;
}
