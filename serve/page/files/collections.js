// The collections: how large they are, and how well.

import { h, words } from "./dom.js";
import { ago, bytes, collectionName, number, percent } from "./say.js";

export class CollectionsView {
  constructor() {
    this.list = h("ul", { class: "collections" });
    this.element = h("section", {}, h("h1", {}, "Collections"), this.list);
  }

  show(collections) {
    const rows = collections.map((c) => this.row(c));
    this.list.replaceChildren(...(rows.length ? rows : [h("li", { class: "quiet" }, "There are none yet. Try: winnow serve --in FOLDER")]));
  }

  row(c) {
    const where = (c.roots ?? []).join(", ");
    const spaces = Object.entries(c.vectors ?? {});
    return h("li", { class: "panel", "data-collection": c.collection },
      h("header", {},
        words("h2", "", collectionName(c.collection)),
        c.default && h("span", { class: "tag" }, "searched by default"),
        h("span", { class: "state", "data-state": c.state }, c.state)),
      where && words("p", "place", where),
      c.error ? words("p", "failure", c.error) : c.description && words("p", "description", c.description),
      h("dl", { class: "figures" },
        figure("documents", number(c.documents)), figure("chunks", number(c.chunks)), figure("text", bytes(c.bytes)),
        figure("on disk", bytes(c.disk_bytes)), figure("language", c.language), figure("updated", ago(c.updated))),
      spaces.map(([space, share]) => vectors(space, share)),
      c.state !== "broken" && h("a", { class: "button", href: `/?in=${encodeURIComponent(c.collection)}` }, "Ask this collection"));
  }
}

const figure = (name, value) => value && h("div", {}, h("dt", {}, name), h("dd", {}, value));

function vectors(space, share) {
  const fill = h("span", { class: "fill" });
  fill.style.width = percent(share);
  return h("p", { class: "vectors" }, words("span", "", space), h("span", { class: "meter", "aria-hidden": "true" }, fill), h("span", {}, share >= 1 ? "all vectors" : `${percent(share)} of vectors`));
}
