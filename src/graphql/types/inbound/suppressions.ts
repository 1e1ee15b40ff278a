/** Suppressions in GraphQL: whom an account sends nothing to, and the words by which people say so. */
import type { OptOutSettings } from '../../../modules/accounts/account.entity.ts';
import { SUPPRESSION_ORIGINS, suppressionData } from '../../../modules/answers/suppression.data.ts';
import { isErased } from '../../../modules/suppressions/erased-names.ts';
import {
  listSuppressions,
  listSuppressionsInput,
  suppress,
  suppressInput,
  unsuppress,
} from '../../../modules/suppressions/manage-suppressions.ts';
import {
  findOptOutSettings,
  optOutSettingsInput,
  updateOptOutSettings,
} from '../../../modules/suppressions/opt-out-settings.ts';
import { Suppression } from '../../../modules/suppressions/suppression.entity.ts';
import { builder } from '../../builder.ts';
import { connectionOf, toConnection } from '../../connection.ts';
import { argsFrom, byInput, defineEnum, fieldsFrom } from '../../from-zod.ts';

defineEnum('SuppressionOrigin', SUPPRESSION_ORIGINS, 'The way of a recipient onto the list.', {
  recipient: 'A word of the recipient, like STOP. A word like START takes off again.',
  account: 'The account. Only the account takes off.',
});

/** `Suppression` */
export const SuppressionRef = builder.objectType(Suppression, {
  name: 'Suppression',
  description: 'A recipient that the account sends no messages to.',
  fields: t => ({
    id: t.member('id', 'ID', 'Names the entry, for client caches.'),
    ...fieldsFrom(t, suppressionData, { to: ({ person }) => (isErased(person) ? '' : person) }, 'id accountId person'),
  }),
});

const SuppressionConnection = connectionOf(SuppressionRef, 'Suppression', 'suppressed recipients', 'A recipient');

const OptOutSettingsRef = builder.objectRef<OptOutSettings>('OptOutSettings').implement({
  description:
    'How the account deals with the words of people: its own ones, beside those of everybody, and its answers.',
  fields: t => ({
    stopWords: t.member('stopWords', ['String'], 'Its words that stop, in upper case, beside STOP and its like.'),
    startWords: t.member('startWords', ['String'], 'Its words that start again, beside START, UNSTOP and YES.'),
    stopText: t.nullable('stopText', 'String', 'Its text that confirms a stop, once; null: nothing does.'),
    helpText: t.nullable('helpText', 'String', 'Its text that answers HELP and INFO; null: nothing does.'),
    stopsOtps: t.member('stopsOtps', 'Boolean', 'Whether passcodes are not sent to those who stopped either.'),
  }),
});

const READING = { opens: ['unified', 'management'] } as const;
const CHANGING = { ...READING, right: 'suppress' } as const;

builder.queryFields(t => ({
  suppressions: t.field({
    type: SuppressionConnection,
    description: 'The recipients that get no messages of the account, the newest first. Tokens: unified, management.',
    policy: READING,
    ...argsFrom(listSuppressionsInput),
    resolve: async (_root, args, ctx) => toConnection(await listSuppressions(ctx, args)),
  }),
  optOutSettings: t.field({
    type: OptOutSettingsRef,
    description: 'The words by which people stop messages of the account. Tokens: unified, management.',
    policy: READING,
    resolve: (_root, _args, ctx) => findOptOutSettings(ctx),
  }),
}));

builder.mutationFields(t => ({
  suppress: t.field({
    type: SuppressionRef,
    description:
      'Puts a recipient onto the list: messages to it are `RECIPIENT_SUPPRESSED`, passcodes go. Tokens: unified, management.',
    policy: CHANGING,
    ...byInput(suppressInput, 'The recipient.', suppress),
  }),
  unsuppress: t.field({
    type: SuppressionRef,
    description:
      'Takes a recipient off the list, whoever put it there; answers what the entry was. Tokens: unified, management.',
    policy: CHANGING,
    args: { to: t.arg.string({ required: true, description: 'The recipient, as `suppress` takes it.' }) },
    resolve: (_root, { to }, ctx) => unsuppress(ctx, to),
  }),
  updateOptOutSettings: t.field({
    type: OptOutSettingsRef,
    description: 'Sets the words by which people stop messages and start them again. Token: management.',
    policy: { opens: ['management'] },
    ...byInput(optOutSettingsInput, 'What changes.', updateOptOutSettings),
  }),
}));
