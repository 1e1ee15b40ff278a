/** Notes about people, by those who answer them. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { ownerIn } from '../accounts/account.entity.ts';
import { personIn } from '../people/person.entity.ts';

const PersonNoteSchema = defineEntity({
  name: 'PersonNote',
  tableName: 'person_notes',
  properties: {
    id: p.type(new IdType('not')).primary(),
    accountId: () => ownerIn('person_notes'),
    personId: () => personIn('person_notes'),
    /** Empty after `TEXT_RETENTION_DAYS`. */
    text: p.text(),
    /** The e-mail address of the person of the account; null: a token or the operator wrote it. */
    author: p.text().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'person_notes_person_id_id_index', properties: ['personId', 'id'] }],
});

/** One note about one person. */
export class PersonNote extends PersonNoteSchema.class {}
PersonNoteSchema.setClass(PersonNote);
