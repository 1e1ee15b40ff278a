/** The verbs on notes about people. */
import type { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId, parseId, toUuid } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { recordOf } from '../audit/record-audit.ts';
import { ensurePerson } from '../people/learn-people.ts';
import { findPerson } from './find-people.ts';
import type { addNoteInput } from './people.input.ts';
import { PersonNote } from './person-note.entity.ts';

/** Adds a note about a person, who may be one who never wrote. @throws AppError as `findPerson` */
export async function addNote(ctx: Ctx, { to, text }: z.infer<typeof addNoteInput>): Promise<PersonNote> {
  const { accountId, to: address } = await findPerson(ctx, to);
  return ctx.em.transactional(async em => {
    const id = newId('not');
    const personId = await ensurePerson(em.getKysely(), ctx.services.suppressed, {
      accountId,
      address,
      newest: toUuid(id),
    });
    const author = ctx.actor.kind === 'user' ? ctx.actor.email : null;
    const note = em.create(PersonNote, { id, accountId, personId, text, author, createdAt: ctx.clock.now() });
    await em.flush();
    await recordOf(em, ctx, note, 'note.added', {});
    return note;
  });
}

/** Removes a note, and answers what it was. @throws AppError `not_found`; as `readScope` */
export async function removeNote(ctx: Ctx, noteId: string): Promise<PersonNote> {
  const { accountId } = readScope(ctx);
  const id = parseId('not', noteId);
  return ctx.em.transactional(async em => {
    const note = id && (await em.findOne(PersonNote, { id, accountId }, { disableIdentityMap: true }));
    if (!note || (await em.nativeDelete(PersonNote, { id, accountId })) === 0)
      throw new AppError('not_found', 'There is no such note.');
    await recordOf(em, ctx, note, 'note.removed', {});
    return note;
  });
}
