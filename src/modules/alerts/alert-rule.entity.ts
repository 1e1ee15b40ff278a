/** Alert rules: the troubles that an account wants to be told of, and the addresses to tell. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { ownerIn } from '../accounts/account.entity.ts';
import { ALERT_KINDS } from '../answers/alert-kind.ts';

const AlertRuleSchema = defineEntity({
  name: 'AlertRule',
  tableName: 'alert_rules',
  properties: {
    id: p.type(new IdType('alr')).primary(),
    accountId: () => ownerIn('alert_rules').index('alert_rules_account_id_index'),
    kind: p.enum([...ALERT_KINDS]),
    /** In the unit of its kind; null: the kind has none. */
    threshold: p.integer().nullable(),
    /** How long it must last before it is told. */
    lastingMinutes: p.integer().check('lasting_minutes >= 0'),
    /** How long nothing more is told of the same thing, once it was. */
    quietMinutes: p.integer().check('quiet_minutes >= 0'),
    /** The addresses that get a mail. */
    mail: p.array<string>(),
    /** The Slack-compatible URL, sealed under the key of `slackKeyId`; null: there is none. Whoever has it can write there. */
    slackUrl: p.text().nullable(),
    slackKeyId: p.string().length(8).nullable(),
    /** Its host, for people. */
    slackHost: p.text().nullable(),
    isPaused: p.boolean().default(false),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One thing that an account wants to be told of. */
export class AlertRule extends AlertRuleSchema.class {}
AlertRuleSchema.setClass(AlertRule);
