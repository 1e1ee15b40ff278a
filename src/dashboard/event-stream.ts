/** One event of a `text/event-stream`: its name (default `message`) and its joined data lines. */
interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** The events of a `text/event-stream` as they arrive, without ids and retry times: no browser resumes the stream of a POST. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let name = '';
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line === '') {
      if (name !== '' || data.length > 0) yield { name: name || 'message', data: data.join('\n') };
      name = '';
      data = [];
      continue;
    }
    const [field, value] = splitField(line);
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
}

function splitField(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

/** How long a stream may be silent, in milliseconds: the gateway sends a sign of life each 12 s. A browser tells of a dead line minutes later. */
const SILENT_MS = 30_000;

async function withinSilence<Read>(reading: Promise<Read>): Promise<Read> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The stream is silent.')), SILENT_MS);
  return Promise.race([reading, promise]).finally(() => clearTimeout(timer));
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A lone \r at the end may be the first half of \r\n, so it waits for the next chunk.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // One that broke has nothing to cancel.
    reader.cancel().catch(() => undefined);
  }
}
