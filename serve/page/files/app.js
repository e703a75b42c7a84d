// The page: which view stands at which address.

import { AskView } from "./ask.js";
import { CollectionsView } from "./collections.js";
import { h, reveal } from "./dom.js";
import { History } from "./history.js";
import { Keys } from "./keys.js";
import { Reader } from "./reader.js";
import { RunView } from "./run.js";
import { ask, follow, pause } from "./server.js";
import { Run } from "./trajectory.js";

const main = document.querySelector("main");
const past = new History();
const reader = new Reader((hit) => ask("/v1/read", { document: hit.document, collections: hit.collection ? [hit.collection] : [] }));
const keys = new Keys(go);
const asking = new AskView((run) => {
  own.set(run.id, run);
  go(`/runs/${encodeURIComponent(run.id)}`);
});
const own = new Map(); // runs that were asked here: they end with this page
let leave = () => {}; // ends the view that stands here
let standing = ""; // its address

function go(path) {
  if (path !== location.pathname + location.search) history.pushState(null, "", path);
  show();
}

function show() {
  leave();
  leave = () => {};
  standing = location.pathname + location.search;
  reader.element.close();
  const [place, id] = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  past.select(place === "runs" ? id ?? "" : "");
  document.body.dataset.place = place === "runs" && id ? "run" : place ?? "ask";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
  if (place === "collections") return showCollections();
  if (place === "runs" && id) return showRun(id);
  return showAsk();
}

async function showAsk() {
  document.title = "Winnow";
  main.replaceChildren(asking.element);
  if (matchMedia("(min-width: 900px)").matches) asking.question.focus();
  await attempt(async () => {
    const [server, { collections }] = await Promise.all([ask("/v1/server"), ask("/v1/collections")]);
    asking.offer(server, collections, new URLSearchParams(location.search).get("in"));
  });
}

async function showCollections() {
  document.title = "Collections · Winnow";
  const view = new CollectionsView();
  main.replaceChildren(view.element);
  const leaving = new AbortController();
  leave = () => leaving.abort();
  while (!leaving.signal.aborted) {
    if (!document.hidden && !(await attempt(async () => view.show((await ask("/v1/collections")).collections)))) return;
    await pause(3000, leaving.signal);
  }
}

function showRun(id) {
  const run = own.get(id) ?? new Run(id, past.entries.get(id)?.entry);
  const address = `/v1/runs/${encodeURIComponent(id)}/page`;
  const stop = h("button", { type: "button", class: "button", hidden: true, on: { click: () => run.stop?.() } }, "Stop");
  const links = [
    h("a", { class: "button export", href: address, download: `winnow-${id}.html`, title: "One page with everything in it" }, "Export"),
    h("a", { class: "button", href: `${address}?text=no`, download: `winnow-${id}.html`, title: "Without what the documents say" }, "Export without text")];
  const view = new RunView(run, reader, [stop, ...links]);
  main.replaceChildren(view.element);
  const unfollow = view.show();
  past.told = (entry) => entry.run === id && run.change({ about: entry });
  let sought = location.hash.slice(1);
  const stopWatching = run.follow(() => {
    document.title = `${run.start?.question ?? run.about.question ?? "Run"} · Winnow`;
    stop.hidden = !run.stop;
    for (const link of links) link.hidden = !run.start; // there is no record yet
    const at = sought && document.getElementById(sought);
    if (!at) return;
    sought = "";
    requestAnimationFrame(() => reveal(at, "start"));
  });
  const leaving = new AbortController();
  leave = () => {
    leaving.abort();
    unfollow();
    stopWatching();
  };
  if (!own.has(id)) follow(run, leaving.signal);
}

// attempt does what needs the server; where that fails it says why instead.
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (problem) {
    const locked = problem.status === 401;
    main.replaceChildren(h("section", { class: "notice", role: "alert" },
      h("h1", {}, locked ? "This page is locked" : "The server can't be reached"),
      h("p", {}, locked ? "Open the link that winnow serve printed. It lets this browser in." : problem.message),
      !locked && h("button", { type: "button", class: "button", on: { click: show } }, "Try again")));
    return false;
  }
}

document.querySelector(".side").append(past.element, h("button", { type: "button", class: "plain hint", on: { click: () => keys.element.showModal() } }, h("kbd", {}, "?"), " keys"));
document.body.append(reader.element, keys.element);

addEventListener("popstate", () => {
  if (standing !== location.pathname + location.search) show(); // else it is a place in the view
});
addEventListener("hashchange", () => {
  const at = document.getElementById(location.hash.slice(1));
  if (at) reveal(at, "start");
});
addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.download || link.origin !== location.origin) return;
  if (link.pathname === location.pathname && link.search === location.search && link.hash) return; // a place in this view
  event.preventDefault();
  go(link.pathname + link.search);
});

show();
past.follow();
