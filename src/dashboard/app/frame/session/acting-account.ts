/** The account that an operator looks at: kept by the tab, so that a reload stays there and another tab may look at another. */
import { ACCOUNT_KEY } from '../../../tab-storage.ts';
import { actFor } from '../../api/ask.ts';

/** Takes up what the tab kept. Call it before anything is asked. */
export function resumeAccount(): void {
  actFor(sessionStorage.getItem(ACCOUNT_KEY));
}

/** From now on the pages show this account; null: the operator chooses one. */
export function chooseAccount(accountId: string | null): void {
  if (accountId === null) sessionStorage.removeItem(ACCOUNT_KEY);
  else sessionStorage.setItem(ACCOUNT_KEY, accountId);
  actFor(accountId);
}
