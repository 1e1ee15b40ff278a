/** The rank of statuses in statements. */
import { STATUS_RANK } from '../../../kernel/status.ts';

/** The rank of a status, as SQL; 0 where it is null, below every status. */
export function rankOf(status: string): string {
  const cases = Object.entries(STATUS_RANK).map(([name, rank]) => `when '${name}' then ${rank}`);
  return `(case ${status} ${cases.join(' ')} else 0 end)`;
}
