/** Alert rules of a test, what makes them ill and well, and what was told. */
import { toUuid } from '../../../src/kernel/ids.ts';
import { wordsOf } from '../../../src/modules/alerts/alert-kinds.ts';
import type { CreateAlertRuleInput } from '../../../src/modules/alerts/alert-rule.input.ts';
import { listAlerts } from '../../../src/modules/alerts/list-alerts.ts';
import { createAlertRule } from '../../../src/modules/alerts/manage-alert-rules.ts';
import { watchAlerts } from '../../../src/modules/alerts/watch-alerts.ts';
import { bookAdjustment } from '../../../src/modules/billing/book-adjustment.ts';
import { OPERATOR, type TestAccount, type TestServices } from '../services.ts';

/** The verbs as a test calls them. */
export function alertsOf(on: TestServices) {
  return {
    /** Makes a rule of an account, told at once and quiet for an hour unless told. */
    rule: (account: TestAccount, input: CreateAlertRuleInput) =>
      createAlertRule(on.ctxFor(account.operator), { lastingMinutes: 0, quietMinutes: 60, ...input }),
    /** Looks once, as the job does each minute. */
    watch: () => watchAlerts(on.ctxFor(OPERATOR)),
    /** The alerts of an account in words, oldest first. */
    async told(account: TestAccount): Promise<string[]> {
      const { rows } = await listAlerts(on.ctxFor(account.operator), {});
      return rows.toReversed().map(wordsOf);
    },
    /** Gives or takes credits. */
    add: (account: TestAccount, credits: number) =>
      bookAdjustment(on.database.sql(), { accountId: account.accountId, credits, reason: 'test' }),
    /** Lets the states of a rule be so many minutes older. */
    async age(ruleId: string, minutes: number): Promise<void> {
      await on.sql(
        `update alert_states set ill_since = ill_since - $2 * interval '1 minute', raised_at = raised_at - $2 * interval '1 minute',
           quiet_until = quiet_until - $2 * interval '1 minute' where rule_id = $1`,
        [toUuid(ruleId), minutes],
      );
    },
  };
}
