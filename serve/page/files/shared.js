// An exported run: the same view, over the events that the page carries.

import { h, reveal } from "./dom.js";
import { Reader } from "./reader.js";
import { RunView } from "./run.js";
import { Run } from "./trajectory.js";

const record = JSON.parse(document.getElementById("record").textContent);
const run = new Run(record.run, record);
for (const event of record.events) run.add(event);
run.state = record.state;

const reader = new Reader(null);
const view = new RunView(run, reader, []);
document.title = `${run.start?.question ?? "A run"} · Winnow`;
document.body.replaceChildren(h("main", { class: "alone" }, view.element,
  h("footer", { class: "colophon" }, `A search by Winnow, run ${record.run}.${record.no_text ? " The text of the documents was left out." : ""}`)), reader.element);
view.show();

const follow = () => {
  const at = location.hash && document.getElementById(location.hash.slice(1));
  if (at) reveal(at, "start");
};
addEventListener("hashchange", follow);
queueMicrotask(follow);
