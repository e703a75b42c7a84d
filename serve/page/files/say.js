// Figures, times and places as people read them.

const figures = new Intl.NumberFormat("en");
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const distances = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

export const number = (n) => figures.format(n ?? 0);

export const count = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

export const percent = (share) => `${Math.floor(share * 100)}%`;

// short is a figure where there is little room: 24.6k.
export function short(n) {
  if (n < 1000) return String(n);
  const k = n / 1000;
  return `${k < 100 ? k.toFixed(1).replace(/\.0$/, "") : Math.round(k)}k`;
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; n >= 1000 && i < units.length - 1; i++) n /= 1000;
  return `${i && n < 10 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

// known tells a time from Go's zero time.
const known = (time) => time && !time.startsWith("0001");

export const moment = (time) => (known(time) ? moments.format(new Date(time)) : "");

export function ago(time) {
  if (!known(time)) return "";
  const seconds = (new Date(time) - Date.now()) / 1000;
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) return distances.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

// part is which part of its document a chunk is: lines, or the page of a paged
// file.
export function part(chunk) {
  if (chunk.page) return `page ${chunk.page}`;
  const [from, to] = chunk.lines ?? [0, 0];
  if (!from) return "";
  return to > from ? `${from}–${to}` : `${from}`;
}

// place is where a chunk stands.
export function place(chunk) {
  const at = chunk.path || chunk.document || "";
  return [at, part(chunk)].filter(Boolean).join(chunk.page ? ", " : ":");
}

export const title = (chunk) => chunk.title || chunk.path || chunk.document || "";

const links = { named: ["names", "named by"], link: ["links to", "linked from"], reply: ["answers", "answered by"], import: ["imports", "imported by"], citation: ["cites", "cited by"] };

const quoted = (name) => (name ? ` “${name}”` : "");

// leads is how a document leads to the next, said between the two.
export function leads({ kind, via, back }) {
  if (kind === "shared") return via ? `speaks of “${via}”, and so does` : "speaks of the same as";
  const [to, from] = links[kind] ?? links.link;
  return back ? `is ${from}` : to + quoted(via);
}

// led is the same, said of the next.
export function led({ lead: { kind, via, back }, by }) {
  if (kind === "shared") return `shares${quoted(via) || " a name"} with ${title(by.hit)}`;
  const [to, from] = links[kind] ?? links.link;
  return `${back ? to : from} ${title(by.hit)}`;
}

// short name of a collection: of a folder, the last part of its path.
export const collectionName = (name) => name.split("/").filter(Boolean).pop() ?? name;

const ends = {
  concluded: "concluded", forced: "cut short: its view was full or the policy failed", turn_limit: "cut short at the turn limit",
  deadline: "cut short at the deadline", cancelled: "stopped",
};

export const ended = (how) => ends[how] ?? how ?? "";

const tools = {
  search_corpus: "search", grep_corpus: "grep", read_document: "read", follow_links: "follow links", list_corpus: "list",
  prune_chunks: "prune", restore_chunks: "restore", search_history: "history",
};

export const tool = (name) => tools[name] ?? name;
