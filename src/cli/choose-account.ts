/** The account that `send` and `logs` act for. */

import type { Operator } from './gateway/operator.ts';
import { OPERATIONS } from './operations/operations.generated.ts';
import { Refusal } from './refusal.ts';

/** The account that was named, else the only one there is, else the demo account. @throws Refusal where that names none. */
export async function chooseAccount(operator: Operator, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const accounts = await operator.run(OPERATIONS.accounts, {});
  const [first, second] = accounts;
  if (!first) throw new Refusal('not_found', 'There is no account yet. Make one with "account create" or with "demo".');
  if (!second) return first.accountId;
  const { DEMO_ACCOUNT } = await import('../modules/demo/seed-demo.ts');
  const demo = accounts.find(account => account.name === DEMO_ACCOUNT);
  if (!demo) throw new Refusal('invalid_input', 'There are several accounts. Name one with --account.');
  return demo.accountId;
}
