// A run as its events tell it. The page draws nothing that is not here, and
// nothing here comes from anywhere but the events: a run that is watched, one
// that is told again and one that was exported are the same.

// Run collects the events of a run and tells listeners of each.
export class Run {
  constructor(id, about) {
    this.id = id;
    this.about = about ?? {}; // its entry in the list of runs
    this.state = "live"; // or queued, ended, cut_off
    this.queued = 0; // how many wait before it
    this.problem = null; // why it did not come to its end
    this.start = null;
    this.end = null;
    this.rollouts = new Map(); // by number; a run of one has 0
    this.events = [];
    this.listeners = new Set();
  }

  // follow calls listener with every event there was and will be, and with null
  // where something else has changed. It returns how to stop.
  follow(listener) {
    for (const event of this.events) listener(event);
    listener(null);
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  change(fields) {
    Object.assign(this, fields);
    this.tell(null);
  }

  tell(event) {
    for (const listener of this.listeners) listener(event);
  }

  add(event) {
    const number = event.rollout ?? 0;
    if (event.start) {
      this.start ??= event.start;
      this.rollouts.set(number, new Rollout(number, event.start));
    }
    this.rollouts.get(number)?.add(event);
    if (event.end && number === 0) {
      this.end = event.end;
      this.state = "ended";
      for (const rollout of this.rollouts.values()) rollout.rank(event.end.ranking ?? []);
    }
    this.events.push(event);
    this.tell(event);
  }

  // seen is every chunk that was shown, in order.
  seen() {
    return [...this.rollouts.values()].flatMap((rollout) => [...rollout.chunks.values()]);
  }

  // ofDocument are the chunks of a document that were shown, in its order.
  ofDocument(collection, document) {
    const chunks = new Map();
    for (const c of this.seen()) {
      if (c.hit.document === document && (c.hit.collection ?? "") === (collection ?? "")) chunks.set(c.hit.chunk, c);
    }
    return [...chunks.values()].sort((a, b) => a.hit.ordinal - b.hit.ordinal);
  }
}

// Rollout is one course of turns.
class Rollout {
  constructor(number, start) {
    this.number = number;
    this.start = start;
    this.turns = new Map();
    this.chunks = new Map(); // by the name that prunes call them by
    this.used = start.used ?? 0; // tokens of the next view
    this.end = null;
  }

  name(collection, id) {
    return (this.start.collections ?? []).length > 1 ? `${collection}:${id}` : id;
  }

  turn(number) {
    if (!this.turns.has(number)) {
      this.turns.set(number, { number, view: 0, freed: 0, action: null, used: 0, pruned: [], restored: [] });
    }
    return this.turns.get(number);
  }

  add(event) {
    if (event.end) this.end = event.end;
    if (!event.turn) return;
    const turn = this.turn(event.turn);
    if (event.action) {
      turn.action = event.action;
      turn.view = event.view || this.used;
      for (const { id, lead } of event.action.answer?.selected ?? []) this.lead(this.called(id), lead, this.called(lead?.from));
    }
    for (const name of event.prune?.chunks ?? []) this.mark(name, { pruned: event.turn, restored: 0 }, turn.pruned);
    for (const name of event.restore?.chunks ?? []) this.mark(name, { pruned: 0, restored: event.turn }, turn.restored);
    turn.freed += (event.prune?.freed ?? 0) + (event.elide?.freed ?? 0);
    if (event.observation) {
      turn.used = this.used = event.observation.used;
      for (const result of event.observation.results ?? []) {
        for (const part of result.parts ?? []) if (part.chunk) this.show(part, result, event.turn);
      }
    }
  }

  // called is the chunk that a policy means by an id or a handle.
  called(id) {
    return this.chunks.get(id) ?? this.chunks.values().find((chunk) => chunk.handle === id);
  }

  // lead notes what led to a document: what the policy says does, else the link
  // that brought it.
  lead(chunk, lead, by) {
    if (!chunk || !by || !lead) return;
    for (const other of this.chunks.values()) {
      if (other.hit.document === chunk.hit.document && other.hit.collection === chunk.hit.collection) other.led = { lead, by };
    }
  }

  mark(name, state, list) {
    const chunk = this.chunks.get(name);
    if (!chunk) return;
    Object.assign(chunk, state);
    chunk.changes.push([state.pruned || state.restored, !state.pruned]);
    list.push(chunk);
  }

  show(part, result, turn) {
    const name = this.name(part.chunk.collection, part.chunk.chunk);
    if (this.chunks.has(name)) return;
    const { lead } = part.chunk, by = lead && this.chunks.get(this.name(part.chunk.collection, lead.from));
    this.chunks.set(name, {
      name, hit: part.chunk, led: by ? { lead, by } : null, handle: part.handle ?? "",
      turn, rollout: this.number, tool: result.tool, query: result.query ?? "",
      pruned: 0, restored: 0, rank: 0, // a turn, a turn, a place among the selected
      changes: [[turn, true]], // the turns that brought it into the view and took it out
    });
  }

  rank(ranking) {
    for (const ranked of ranking.filter((r) => r.selected)) {
      for (const id of ranked.chunks ?? []) {
        const chunk = this.chunks.get(this.name(ranked.collection, id));
        if (chunk) chunk.rank = ranked.rank;
      }
    }
  }
}

// inView says whether a chunk was in the view that a turn began with; undefined if
// it had not been shown by then. What a turn does, the next view shows.
export function inView(chunk, rollout, turn) {
  if (chunk.rollout !== rollout) return undefined;
  return chunk.changes.findLast(([at]) => at < turn)?.[1];
}

// anchor is the name of a turn in an address.
export const anchor = (rollout, turn) => (rollout ? `rollout-${rollout}-turn-${turn}` : `turn-${turn}`);
