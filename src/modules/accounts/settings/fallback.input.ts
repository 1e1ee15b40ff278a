/** The input fields of a fallback in time: of an account, and of each send (contract §14). */
import { oneOf, wholeFrom } from '../../../kernel/input.ts';
import { SUCCESS_STATUSES } from '../../../kernel/status.ts';

/** The fields. */
export const fallbackInput = {
  fallbackAfter: wholeFrom(15, 3_600, 'must be a whole number of seconds from 15 to 3600').nullish().meta({
    description:
      "In `fallback` mode, seconds, 15 to 3600, after which the next channel follows one that accepted and has not reached `successStatus`. Absent: the account's setting, which is off unless set",
    example: 30,
  }),
  successStatus: oneOf(SUCCESS_STATUSES).nullish().meta({
    description:
      "The status that a channel has to reach within `fallbackAfter`; the best that it can report where it never reports this one. Absent: the account's setting, `delivered` unless set",
  }),
};
