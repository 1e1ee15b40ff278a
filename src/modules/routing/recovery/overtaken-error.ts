/** The error of a process whose send another one has taken over. */
import { AppError } from '../../../kernel/errors.ts';

/** Another process goes on with the send; what this one knew of it is told already. */
export class OvertakenError extends AppError {
  constructor() {
    const detail = 'The request took too long and goes on without you. Look into the log before you send again.';
    super('overloaded', detail, { retryAfter: 5 });
  }
}
