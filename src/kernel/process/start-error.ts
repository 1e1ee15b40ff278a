/** A start that cannot go on; its message is one clear sentence for the person who started it, its cause is for the log. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartError';
  }
}
