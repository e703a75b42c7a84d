// What the page asks of the server.

// Problem is a refusal of the server, in its own words.
class Problem extends Error {
  constructor(problem, status) {
    super([sentence(problem.detail ?? "the server did not answer as it should"), problem.hint && `Try: ${sentence(problem.hint, false)}`].filter(Boolean).join(" "));
    this.status = status;
  }
}

// sentence gives the server's words, which stand in the middle of a line elsewhere,
// a beginning and an end.
function sentence(text, first = true) {
  return (first ? text[0].toUpperCase() + text.slice(1) : text) + (/[.?!]$/.test(text) ? "" : ".");
}

async function send(path, { body, signal, stream, last } = {}) {
  const headers = { Accept: stream ? "text/event-stream" : "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (last) headers["Last-Event-ID"] = String(last);
  const reply = await fetch(path, { method: body ? "POST" : "GET", headers, signal, body: body && JSON.stringify(body) });
  if (reply.ok) return reply;
  let problem = {};
  try {
    problem = await reply.json();
  } catch {
    // a proxy's page; the status says enough
  }
  throw new Problem(problem, reply.status);
}

// ask fetches a document; with a body it posts one.
export const ask = async (path, body) => (await send(path, { body })).json();

// listen opens a stream and returns its reply, whose events are read with events.
export const listen = (path, options) => send(path, { ...options, stream: true });

// events reads server-sent events: {kind, id, data}, and comments as {comment}.
export async function* events(reply) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", event = {};
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith(":")) yield { comment: line.slice(1).trim() };
      else if (line.startsWith("event: ")) event.kind = line.slice(7);
      else if (line.startsWith("id: ")) event.id = Number(line.slice(4));
      else if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
      else if (line === "" && event.kind) {
        yield event;
        event = {};
      }
    }
  }
}

export const pause = (milliseconds, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});

// tell feeds a run from a stream and reports whether the stream came to its end.
async function tell(run, reply) {
  for await (const event of events(reply)) {
    if (event.comment !== undefined) {
      const queued = event.comment.match(/^queued (\d+)$/);
      if (queued) run.change({ queued: Number(queued[1]), state: Number(queued[1]) ? "queued" : run.state === "queued" ? "live" : run.state });
    } else if (event.kind === "result") {
      return true;
    } else if (event.kind === "error") {
      run.change({ state: "cut_off", problem: new Problem(event.data).message });
      return true;
    } else {
      if (run.state === "queued") run.change({ state: "live", queued: 0 });
      run.add(event.data);
    }
  }
  return false;
}

// follow feeds a run from its record, for as long as any process writes it. A
// line that breaks is taken up where it broke.
export async function follow(run, signal) {
  while (!signal.aborted) {
    try {
      if (await tell(run, await listen(`/v1/runs/${encodeURIComponent(run.id)}`, { signal, last: run.events.length }))) return;
    } catch (problem) {
      if (signal.aborted) return;
      if (problem instanceof Problem) return run.change({ state: "cut_off", problem: problem.message });
    }
    await pause(1000, signal);
  }
}

// begin asks a question and returns when the server has taken it; the run is fed
// behind that. Stopping it leaves the record, which has the run's end.
export async function begin(run, request) {
  const stopping = new AbortController();
  const reply = await listen("/v1/ask", { body: request, signal: stopping.signal });
  run.id = reply.headers.get("Winnow-Run");
  run.stop = () => stopping.abort();
  tell(run, reply).catch(() => false).then((over) => {
    run.stop = null;
    if (!over) follow(run, new AbortController().signal);
    else run.tell(null);
  });
}
