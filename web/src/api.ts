/** The node's HTTP API, and nothing else. The secret is a variable of this module: it goes when the page goes. */

let secret: string | null = null;
let refused: () => void = () => {};

export const session = {
  set(value: string | null) {
    secret = value;
  },
  get hasSecret() {
    return secret !== null;
  },
  /** Called when the node wants a secret, or another one. */
  onRefusal(call: () => void) {
    refused = call;
  },
};

/** Problem details (RFC 9457), as the node sends them. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly line: number | null,
    readonly column: number | null,
  ) {
    super(detail);
  }
}

export type Parameters = Record<string, string | number | boolean | null | undefined>;

export function address(path: string, parameters: Parameters = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query ? `${path}?${query}` : path;
}

/** A segment of a path: a name may hold anything. */
export const segment = (name: string) => encodeURIComponent(name).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E"));

async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const authorization: Record<string, string> = secret === null ? {} : { Authorization: `Bearer ${secret}` };
  const response = await fetch(path, {
    method,
    body,
    signal,
    headers: { ...headers, ...authorization },
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
  if (!response.ok) {
    if (response.status === 401) refused();
    throw await problemOf(response);
  }
  return response;
}

async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  const found = (body ?? {}) as { detail?: string; line?: number; column?: number };
  const said = found.detail || response.statusText;
  // Where it is has a member of its own, and the text around it is on the screen.
  const detail = found.line === undefined ? said : said.split("\n")[0]!.replace(/^\d+:\d+: /, "");
  return new Problem(response.status, detail, found.line ?? null, found.column ?? null);
}

export async function get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  return (await send("GET", address(path, parameters), undefined, { Accept: "application/json" }, signal)).json() as Promise<T>;
}

export async function post<T>(path: string, parameters: Parameters, body: string, mediaType: string, signal?: AbortSignal): Promise<T> {
  const headers = { "Content-Type": mediaType, Accept: "application/json" };
  return (await send("POST", address(path, parameters), body, headers, signal)).json() as Promise<T>;
}

export async function put<T>(path: string, parameters: Parameters, body: string, mediaType: string): Promise<T> {
  return (await send("PUT", address(path, parameters), body, { "Content-Type": mediaType })).json() as Promise<T>;
}

/** Something that is done, and answers with nothing that is needed. */
export async function act(method: "POST" | "DELETE", path: string, parameters: Parameters = {}): Promise<void> {
  await send(method, address(path, parameters));
}

/** Server-sent events over fetch, which can carry the secret in a header; until the signal says so. */
export async function follow(path: string, take: (data: string) => void, signal: AbortSignal): Promise<void> {
  const response = await send("GET", path, undefined, { Accept: "text/event-stream" }, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop()!;
    for (const frame of frames) {
      const data = frame.split("\n").filter((line) => line.startsWith("data: "));
      if (data.length) take(data.map((line) => line.slice(6)).join("\n"));
    }
  }
}

/** Follow for ever: whatever ends it, it begins again after a while that grows. */
export function followAlways(path: string | (() => string), take: (data: string) => void, connected: (is: boolean) => void): () => void {
  const ending = new AbortController();
  const run = async () => {
    let wait = 500;
    while (!ending.signal.aborted) {
      try {
        connected(true);
        await follow(typeof path === "string" ? path : path(), (data) => ((wait = 500), take(data)), ending.signal);
      } catch (error) {
        if (ending.signal.aborted || (error instanceof Problem && error.status < 500 && error.status !== 429)) return;
      }
      connected(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, 15_000);
    }
  };
  void run();
  return () => ending.abort();
}
