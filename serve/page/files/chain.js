// How the run came to its documents: from the question by searches, and from one
// document to the next by what its text refers to.

import { h, words } from "./dom.js";
import { leads, title, tool } from "./say.js";

const key = ({ collection, document }) => `${collection ?? ""}\n${document}`;

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
// that was met first and why. A document that another led to hangs below that
// one.
function trace(run) {
  const first = new Map();
  for (const chunk of run.seen()) {
    const at = key(chunk.hit);
    if (!first.has(at)) first.set(at, chunk);
  }
  const nodes = new Map();
  const add = (at) => {
    if (nodes.has(at) || !first.has(at)) return;
    const chunk = first.get(at);
    nodes.set(at, { hit: chunk.hit, chunk, rank: 0, above: null, next: [] });
    if (chunk.led) add(key(chunk.led.by.hit));
  };
  for (const ranked of (run.end.ranking ?? []).filter((r) => r.selected)) {
    add(key(ranked));
    const node = nodes.get(key(ranked));
    if (node) node.rank = ranked.rank;
  }
  const roots = [];
  for (const node of nodes.values()) {
    const { led: by, tool: name, query } = node.chunk;
    const above = by && nodes.get(key(by.by.hit));
    if (above && !ancestors(above).includes(node)) { // two may lead to each other
      Object.assign(node, { above, how: leads(by.lead) });
      above.next.push(node);
    } else {
      node.how = `${tool(name)}${query ? ` “${query}”` : ""}`;
      roots.push(node);
    }
  }
  return roots;
}

// ancestors are a node and all above it.
function ancestors(node) {
  return node ? [node, ...ancestors(node.above)] : [];
}
