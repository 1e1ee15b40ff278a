/** The state of each thing that a rule watches: processes agree by its row who tells an alert. */
import { defineEntity, p } from '@mikro-orm/core';
import { AlertRule } from './alert-rule.entity.ts';

const AlertStateSchema = defineEntity({
  name: 'AlertState',
  tableName: 'alert_states',
  properties: {
    ruleId: () =>
      p
        .manyToOne(AlertRule)
        .mapToPk()
        .primary()
        .fieldNames('rule_id')
        .foreignKeyName('alert_states_rule_id_foreign')
        .deleteRule('cascade'),
    /** The public id of the endpoint or the connection; empty: the account itself. */
    subject: p.text().primary(),
    /** Its name, for people. */
    name: p.text().nullable(),
    /** The number that was read last while it was ill. */
    value: p.double().$type<number>().nullable(),
    /** Since when it is ill; null: it is well. */
    illSince: p.datetime().nullable(),
    /** When it was looked at last: an older look changes nothing. */
    notedAt: p.datetime(),
    /** When the open alert was raised; null: none is open. */
    raisedAt: p.datetime().nullable(),
    /** Since when it was ill, as the last alert said. */
    toldSince: p.datetime().nullable(),
    /** Until when nothing more is told of it. */
    quietUntil: p.datetime().nullable(),
  },
});

/** The state of one thing that a rule watches. */
export class AlertState extends AlertStateSchema.class {}
AlertStateSchema.setClass(AlertState);
