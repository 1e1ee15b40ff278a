/** The people whom a number has written to, or who wrote to it: nobody among them is new to it. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

/** A person, as one number knows them. */
export const ChatContact = defineEntity({
  name: 'ChatContact',
  tableName: 'chat_contacts',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** A number in digits, or the chat's own id of the person. */
    person: p.text().primary(),
    firstAt: p.datetime(),
    lastAt: p.datetime(),
    /** Since when the person is known to be on the chat: the server took a text, or they wrote. Null: nobody knows. */
    knownAt: p.datetime().nullable(),
  },
  indexes: [{ name: 'chat_contacts_first_at_index', properties: ['connectionId', 'firstAt'] }],
});
