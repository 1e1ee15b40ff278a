/** Sender rules: what becomes of a sender name in the SMS to a country where only numbers can send. The operator sets them. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { Connection } from '../connections/connection.entity.ts';
import { ALPHANUMERIC_RULES } from './sender-rule.policy.ts';

const SenderRuleSchema = defineEntity({
  name: 'SenderRule',
  tableName: 'sender_rules',
  properties: {
    id: p.type(new IdType('rul')).primary(),
    /** The recipient's country, ISO 3166-1 alpha-2 in upper case. */
    country: p.text(),
    /** The connection that it is for, before the rule of all; null: all, and the sandbox. */
    connectionId: () =>
      p
        .manyToOne(Connection)
        .mapToPk()
        .fieldNames('connection_id')
        .foreignKeyName('sender_rules_connection_id_foreign')
        // By default it would become a rule of all with its connection.
        .deleteRule('no action')
        .nullable(),
    alphanumeric: p.enum([...ALPHANUMERIC_RULES]),
    /** The number that sends instead, digits only; null unless `replaced`. */
    numericSender: p.text().nullable(),
    updatedAt: p.datetime(),
  },
  uniques: [
    { name: 'sender_rules_country_connection_id_unique', properties: ['country', 'connectionId'] },
    // Of the rules for all, as nulls differ from each other.
    { name: 'sender_rules_country_unique', properties: ['country'], where: 'connection_id is null' },
  ],
  checks: [
    {
      name: 'sender_rules_numeric_sender_check',
      expression: `(alphanumeric = 'replaced') = (numeric_sender is not null)`,
    },
  ],
});

/** The rule of one country, for one connection or for all. */
export class SenderRule extends SenderRuleSchema.class {}
SenderRuleSchema.setClass(SenderRule);
