/** The people who wrote to an account, about whom it keeps notes, or of whom a provider told two addresses. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

const PersonSchema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: {
    id: p.type(new IdType('prs')).primary(),
    /** Without a foreign key: it would lock the row of the account, which sends change. */
    accountId: p.type(new IdType('acc')),
    /** The name that the person shows; null: no channel told one. */
    name: p.text().nullable(),
    /** The place in the list: the uuid of the newest message that came in, or of the first note. Null: there is neither, and the list has nobody. */
    newest: p.uuid().nullable(),
    lastMessageId: p.type(new IdType('msg')).nullable(),
    /** The newest message that somebody of the account has read; null: none. */
    readUntil: p.type(new IdType('msg')).nullable(),
    /** The older person whom this one turned out to be; null: it is nobody else. Nothing belongs to such a row any more: it answers for its id. */
    mergedInto: p.type(new IdType('prs')).nullable(),
  },
  indexes: [
    { name: 'people_account_id_newest_index', properties: ['accountId', 'newest'], where: 'merged_into is null' },
    {
      name: 'people_unread_index',
      properties: ['accountId', 'newest'],
      where:
        'merged_into is null and last_message_id is not null and (read_until is null or read_until < last_message_id)',
    },
  ],
});

/** One person of one account. */
export class Person extends PersonSchema.class {}
PersonSchema.setClass(Person);

/** A column with the person that rows of a table belong to. */
export const personIn = (table: string) =>
  p.manyToOne(Person).mapToPk().fieldNames('person_id').foreignKeyName(`${table}_person_id_foreign`);
