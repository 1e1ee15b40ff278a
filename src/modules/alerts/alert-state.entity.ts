/** How each thing that a rule watches stands: the row by which processes agree who tells. */
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
    /** When it was looked at: what an older look saw changes nothing. */
    notedAt: p.datetime(),
    /** When it was told that it is ill; null: it was not, or also that it is well again. */
    raisedAt: p.datetime().nullable(),
    /** Since when it was ill, of what was told last. */
    toldSince: p.datetime().nullable(),
    /** Until when nothing more is told of it. */
    quietUntil: p.datetime().nullable(),
  },
});

/** One thing that a rule watches, and what was told of it. */
export class AlertState extends AlertStateSchema.class {}
AlertStateSchema.setClass(AlertState);
