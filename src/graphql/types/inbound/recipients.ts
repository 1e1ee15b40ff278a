/** Recipients in GraphQL: what is held of one is exported, and erased. */
import { type ErasedRecipient, eraseRecipient } from '../../../modules/recipients/erase-recipient.ts';
import {
  exportRecipient,
  exportRecipientInput,
  type RecipientExport,
  type RecipientRecord,
} from '../../../modules/recipients/export-recipient.ts';
import { recipientInput } from '../../../modules/recipients/find-recipient.ts';
import { builder } from '../../builder.ts';
import { byArgs } from '../../from-zod.ts';

const RecipientRecordRef = builder.objectRef<RecipientRecord>('RecipientRecord').implement({
  description: 'One row that is held of a recipient.',
  fields: t => ({
    table: t.member('table', 'String', 'What it is of, such as `messages`.'),
    row: t.member('row', 'JSONObject', 'What is stored of it, by name; secrets are left out.'),
  }),
});

const RecipientExportRef = builder.objectRef<RecipientExport>('RecipientExport').implement({
  description: 'A page of what an account holds of one person.',
  fields: t => ({
    accountId: t.member('accountId', 'String', 'The account, `acc_…`.'),
    to: t.member('to', 'String', 'The number in digits-only form.'),
    addresses: t.member('addresses', ['String'], 'All that the person is called: numbers, and ids of channels.'),
    records: t.member('records', [RecipientRecordRef], 'What is held, one kind after the other.'),
    nextCursor: t.nullable(
      'nextCursor',
      'String',
      'What `cursor` takes for the next page; null: this is the last one.',
    ),
  }),
});

const ErasedRecipientRef = builder.objectRef<ErasedRecipient>('ErasedRecipient').implement({
  description: 'What was erased of a recipient. The number itself is nowhere any more.',
  fields: t => ({
    accountId: t.member('accountId', 'String', 'The account, `acc_…`.'),
    rows: t.member(
      'rows',
      'JSONObject',
      'How many rows of each kind, such as `messages`, were blanked or deleted; kinds without any are absent.',
    ),
    isSuppressed: t.member('isSuppressed', 'Boolean', 'Whether a stop of the recipient holds on, without the number.'),
  }),
});

const POLICY = { opens: ['management'], right: 'erase' } as const;

builder.queryField('exportRecipient', t =>
  t.field({
    type: RecipientExportRef,
    description:
      'All that is held of the person with a number: sends, answers, notes, consent, webhooks, what the sandbox shows. Tokens: management (of its account); the operator.',
    policy: { ...POLICY, deadlineFor: 'tokens' },
    complexity: 200,
    ...byArgs(exportRecipientInput, exportRecipient),
  }),
);

builder.mutationField('eraseRecipient', t =>
  t.field({
    type: ErasedRecipientRef,
    description:
      'Blanks the number, the ids and the texts of a person everywhere, for good. Sums, ids and times stay, a stop holds on. Tokens: management (of its account); the operator.',
    // The erasure is one transaction: all of it takes effect, or nothing.
    policy: { ...POLICY, deadlineFor: 'nobody' },
    ...byArgs(recipientInput, eraseRecipient),
  }),
);
