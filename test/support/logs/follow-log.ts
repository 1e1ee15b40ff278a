/** An entry of the log, as `followLog` asks for it. */
export interface FollowedEntry {
  readonly messageId: string;
  readonly channel: string;
  readonly status: string;
  readonly recipient: string;
}

/** A follower of the log. */
export interface FollowedLog {
  /** The next entry, when it comes. @throws Error where the feed ends, or no entry comes in time */
  next(): Promise<FollowedEntry>;
  /** How many entries the gateway said that it left out, as they came faster than it told them. */
  leftOut(): number;
  close(): void;
}

/** One event of the stream. */
interface Told {
  readonly data?: { readonly logAdded: FollowedEntry };
  readonly errors?: unknown;
  readonly extensions?: { readonly dropped?: number };
}

const NEXT_TIMEOUT_MS = 60_000;

/** Follows the log of an account over server-sent events; what is added from when the promise resolves is seen. */
export async function followLog(gateway: { readonly url: string }, token: string): Promise<FollowedLog> {
  const controller = new AbortController();
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { logAdded { messageId channel status recipient } }' }),
    signal: controller.signal,
  });
  if (response.status !== 200 || !response.body) throw new Error(`the feed answered ${response.status}`);
  // Held from now on: a body that nobody reads yet ends when its response is garbage.
  const gap = { entries: 0 };
  const events = readEvents(response.body.values(), gap);
  return {
    leftOut: () => gap.entries,
    async next() {
      const timer = setTimeout(() => controller.abort(new Error('no entry came in time')), NEXT_TIMEOUT_MS);
      try {
        const { value } = await events.next();
        if (!value) throw new Error('the feed ended');
        return value;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => controller.abort(),
  };
}

async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  gap: { entries: number },
): AsyncGenerator<FollowedEntry, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(\{.*\})$/m.exec(event)?.[1];
      if (!data) continue;
      const result = JSON.parse(data) as Told;
      gap.entries += result.extensions?.dropped ?? 0;
      if (!result.data) throw new Error(`the feed answered ${data}`);
      yield result.data.logAdded;
    }
  }
  return undefined;
}
