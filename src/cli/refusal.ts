/** Refusals of commands: exit status 1, and one line on standard error. */
import type { FieldError } from '../kernel/errors.ts';
import { hintFor } from './hints.ts';

/** A refusal, in words for people. */
export class Refusal extends Error {
  /** The API's code in lower case, as in REST; null where it was not the API that refused. */
  readonly code: string | null;
  /** The fields that the API found fault with; its message begins each fault with the name of its field. */
  readonly faults: readonly FieldError[];
  /** The words of the command to run next; null: the message says it all. */
  readonly hint: string | null;

  constructor(
    code: string | null,
    message: string,
    cause?: unknown,
    faults: readonly FieldError[] = [],
    hint: string | null = hintFor(code, message),
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Refusal';
    this.code = code;
    this.faults = faults;
    this.hint = hint;
  }

  /** The same refusal, with each field called as `nameOf` says: the one at fault, and those that a list in brackets names. */
  renamed(nameOf: (field: string) => string): Refusal {
    const inList = (list: string): string => list.replaceAll(/\w+/g, word => nameOf(word));
    const message = this.faults.reduce(
      (text, fault) =>
        text.replace(
          `${fault.field}: ${fault.message}`,
          () => `${nameOf(fault.field)}: ${fault.message.replaceAll(/\([\w, ]+\)/g, inList)}`,
        ),
      this.message,
    );
    return new Refusal(this.code, message, this, this.faults, this.hint);
  }
}
