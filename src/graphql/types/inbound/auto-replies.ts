/** Auto-replies in GraphQL: what an account answers to which keywords. */
import { AutoReply } from '../../../modules/auto-replies/auto-reply.entity.ts';
import {
  listAutoReplies,
  removeAutoReply,
  setAutoReply,
  setAutoReplyInput,
} from '../../../modules/auto-replies/manage-auto-replies.ts';
import type { CloudTemplateInput } from '../../../modules/routing/route.input.ts';
import { builder } from '../../builder.ts';
import { byInput } from '../../from-zod.ts';

const CloudTemplateRef = builder.objectRef<CloudTemplateInput>('CloudTemplate').implement({
  description: 'An approved template of the cloud channel.',
  fields: t => ({
    name: t.member('name', 'String', 'Name of the template.'),
    language: t.member('language', 'String', 'Language of the template, like `en_US`.'),
    components: t.nullable(
      'components',
      ['JSONObject'],
      'The components, as they are handed to the provider; null: none.',
    ),
  }),
});

const AutoReplyRef = builder.objectType(AutoReply, {
  name: 'AutoReply',
  description: 'The answer to a keyword. Who writes it gets the answer once an hour, by the same channel and sender.',
  fields: t => ({
    keyword: t.member('keyword', 'String', 'The keyword, in upper case.'),
    text: t.member('text', 'String', 'The answer; by a channel with templates only where there is no template.'),
    cloudTemplate: t.nullable(
      'cloudTemplate',
      CloudTemplateRef,
      'The template that answers by `CHAT_CLOUD`; null: the text does.',
    ),
    updatedAt: t.member('updatedAt', 'DateTime', 'When it was set.'),
  }),
});

const CHANGING = { opens: ['management'] } as const;

builder.queryField('autoReplies', t =>
  t.field({
    type: [AutoReplyRef],
    description: 'What the account answers to keywords, by keyword; at most 100. Tokens: unified, management.',
    policy: { opens: ['unified', 'management'] },
    resolve: (_root, _args, ctx) => listAutoReplies(ctx),
  }),
);

builder.mutationFields(t => ({
  setAutoReply: t.field({
    type: AutoReplyRef,
    description: 'Sets the answer to a keyword, for what people write from now on. Token: management.',
    policy: CHANGING,
    ...byInput(setAutoReplyInput, 'The keyword and its answer.', setAutoReply),
  }),
  removeAutoReply: t.field({
    type: AutoReplyRef,
    description: 'Removes the answer to a keyword; answers what it was. Token: management.',
    policy: CHANGING,
    args: { keyword: t.arg.string({ required: true, description: 'The keyword, as `setAutoReply` takes it.' }) },
    resolve: (_root, { keyword }, ctx) => removeAutoReply(ctx, keyword),
  }),
}));
