/** What a command was refused: exit status 1, and one line on standard error. */
export class Refusal extends Error {
  /** The API's code in lower case, as in REST; null where it was not the API that refused. */
  readonly code: string | null;

  constructor(code: string | null, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Refusal';
    this.code = code;
  }
}
