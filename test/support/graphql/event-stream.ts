/** The results of a stream of server-sent events, as they come. */
export async function* resultsOf({ body }: Response): AsyncGenerator<Record<string, unknown>, undefined> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(\{.*\})$/m.exec(event)?.[1];
      if (data) yield JSON.parse(data);
    }
  }
  return undefined;
}
