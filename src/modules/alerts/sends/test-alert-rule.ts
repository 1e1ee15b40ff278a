/** The verb *test an alert rule*: sends a sample by each way of the rule, so that whoever sets it up sees each answer. */
import type { Ctx } from '../../../context.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { getAccount } from '../../accounts/manage-accounts.ts';
import { isUnifiedApiOpen } from '../../accounts/unified-api.policy.ts';
import type { WebhookTry } from '../../webhooks/deliveries/webhook-try.entity.ts';
import { deliverSample, limitTests } from '../../webhooks/endpoints/test-endpoint.ts';
import type { AlertWay } from '../alert.entity.ts';
import { KINDS } from '../alert-kinds.ts';
import type { AlertRule } from '../alert-rule.entity.ts';
import { getAlertRule, requireAlertCaller } from '../manage-alert-rules.ts';
import { saidOf } from './alert-text.ts';
import { handOver, type Send } from './send-alert.ts';

/** The result of a sample on one way. */
export interface AlertTestSend {
  readonly way: AlertWay;
  /** The address, or the host of the URL. */
  readonly target: string;
  /** Why it was not taken, for people; null: it was. */
  readonly error: string | null;
}

/** The result of a test of a rule. */
export interface AlertTest {
  readonly text: string;
  readonly sends: readonly AlertTestSend[];
  /** The only try to each enabled endpoint that gets `alert.raised`. */
  readonly tries: readonly WebhookTry[];
}

/**
 * Sends a sample of a rule, paused or not, and keeps no alert of it. The event goes out only while the account may have webhooks.
 * @throws AppError `not_found`, `rate_limited`; and as `requireAlertCaller`
 */
export async function testAlertRule(ctx: Ctx, ruleId: string): Promise<AlertTest> {
  const grant = requireAlertCaller(ctx);
  const rule = await getAlertRule(ctx, ruleId);
  const account = await getAccount(ctx.em, grant.id);
  await limitTests(ctx);
  const sample = sampleOf(rule, account.name, ctx.clock.now());
  const [sends, { tries }] = await Promise.all([
    Promise.all(waysOf(rule).map(way => sendSample(ctx, { ...sample, ...way }))),
    isUnifiedApiOpen(grant) ? deliverSample(ctx, grant.id, 'alert.raised', null) : { tries: [] },
  ]);
  return { text: saidOf(sample), sends, tries };
}

/** The ways of a rule, in the order of the list of alerts. */
function waysOf({ mail, slackHost }: AlertRule): Pick<Send, 'way' | 'target'>[] {
  const addresses = mail.toSorted().map(target => ({ way: 'mail', target }) as const);
  return slackHost == null ? addresses : [...addresses, { way: 'slack', target: slackHost }];
}

async function sendSample(ctx: Ctx, send: Send): Promise<AlertTestSend> {
  const fault = await handOver(ctx, send);
  return { way: send.way, target: send.target, error: fault?.message ?? null };
}

/** An alert as the rule would raise it: the number is one that raises it. */
function sampleOf(rule: AlertRule, account: string, at: Date): Omit<Send, 'way' | 'target'> {
  const { kind, threshold = null, slackUrl = null, slackKeyId = null } = rule;
  const isCount = KINDS[kind].unit === 'passcodes';
  const value = threshold === null ? 1 : isCount ? threshold : threshold - 1;
  const told = { kind, isRaised: true, name: 'Sample', value, threshold, since: at, at, account, isTest: true };
  return { ...told, rule: toUuid(rule.id), slackUrl, slackKeyId };
}
