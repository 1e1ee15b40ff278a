/** The gateway cannot start. `message` is one clear sentence for the operator; `cause` is for the log. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartError';
  }
}
