/** The people that an account sends nothing more to: they said so, or the account did (contract §15). */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { ownerIn } from '../accounts/account.entity.ts';
import { SUPPRESSION_ORIGINS } from '../answers/suppression.data.ts';

const SuppressionSchema = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  properties: {
    /** A UUIDv7: the order of the list. */
    id: p.type(new IdType('sup')),
    accountId: ownerIn('suppressions').primary(),
    /** The number in digits-only form, or the id that a channel has in its place. */
    person: p.text().primary(),
    /** A word of a recipient takes off what a word of a recipient put there, and nothing else. */
    origin: p.enum([...SUPPRESSION_ORIGINS]),
    reason: p.text().nullable(),
    /** The message of the recipient that asked for it; null: the account did. */
    messageId: p.type(new IdType('msg')).nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'suppressions_account_id_id_index', properties: ['accountId', 'id'] }],
});

/** One person of one account. */
export class Suppression extends SuppressionSchema.class {}
SuppressionSchema.setClass(Suppression);
