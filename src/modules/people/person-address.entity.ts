/** Addresses of people: one person may have a number, and ids that channels give in its place. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { personIn } from './person.entity.ts';

/** The kinds of addresses: a phone `number`, or the `user_id` of a channel, such as a business-scoped user id or a LID. */
export const ADDRESS_KINDS = ['number', 'user_id'] as const;

const PersonAddressSchema = defineEntity({
  name: 'PersonAddress',
  tableName: 'person_addresses',
  properties: {
    /** Without a foreign key, as that of a person. */
    accountId: p.type(new IdType('acc')).primary(),
    /** A number in digits-only form, or the id. The recipient of the log, and the person of a suppression, are called the same. */
    value: p.text().primary(),
    kind: p.enum([...ADDRESS_KINDS]),
    personId: () => personIn('person_addresses'),
    /** The channel that it was learned by; null: the account named it. */
    channel: p.enum([...CHANNELS]).nullable(),
    /** The message that it was learned from; null: the account named it. */
    learnedFrom: p.type(new IdType('msg')).nullable(),
    learnedAt: p.datetime(),
  },
  indexes: [{ name: 'person_addresses_person_id_index', properties: ['personId'] }],
});

/** One address of one person. */
export class PersonAddress extends PersonAddressSchema.class {}
PersonAddressSchema.setClass(PersonAddress);
