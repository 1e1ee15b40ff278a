/** The inputs of what is shown of people. */
import { z } from 'zod';
import { pageInput } from '../../db/page.ts';
import { isStorableText, textInput, UNSTORABLE } from '../../kernel/storable.ts';

/** The longest note, in characters. */
const NOTE_MAX = 2_000;

const personInput = z.string().max(255).refine(isStorableText, UNSTORABLE).meta({
  description: 'The person: a phone number, the id that a channel has in its place, or `prs_…`',
  example: '+12025550100',
});

/** The input of the list of people. */
export const listPeopleInput = pageInput.extend({
  filter: z
    .strictObject({
      search: z.string().max(255).refine(isStorableText, UNSTORABLE).nullish().meta({
        description: 'Only people with this in a number, an id, the name, or a text that they sent or got',
      }),
      isUnread: z.boolean().nullish().meta({ description: 'True: only people with messages that nobody has read' }),
    })
    .meta({ id: 'PeopleFilter', description: 'Which people to list; what is absent does not narrow' })
    .nullish()
    .meta({ description: 'Which people' }),
});

/** A valid input of `listPeople`. */
export type ListPeopleInput = z.infer<typeof listPeopleInput>;

/** The input of `readConversation`. */
export const readConversationInput = pageInput.extend({ to: personInput });

/** The input of `markRead`. */
export const markReadInput = z
  .strictObject({
    to: personInput,
    messageId: z.string().meta({ description: 'The newest message that was read, `msg_…`: it and all before it' }),
  })
  .meta({ id: 'MarkReadInput', description: 'What was read of a person' });

/** The input of `addNote`. */
export const addNoteInput = z
  .strictObject({
    to: personInput,
    text: textInput(NOTE_MAX).meta({ description: `The note, 1 to ${NOTE_MAX} characters` }),
  })
  .meta({ id: 'AddNoteInput', description: 'A note about a person, for those who answer them' });
