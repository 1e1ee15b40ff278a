/** Sender rules in GraphQL: the operator's. */
import {
  listSenderRules,
  removeSenderRule,
  setSenderRule,
  setSenderRuleInput,
} from '../../modules/sender-rules/manage-sender-rules.ts';
import { SenderRule } from '../../modules/sender-rules/sender-rule.entity.ts';
import { ALPHANUMERIC_RULES } from '../../modules/sender-rules/sender-rule.policy.ts';
import { builder } from '../builder.ts';
import { byInput, defineEnum } from '../from-zod.ts';

const AlphanumericRuleEnum = defineEnum(
  'AlphanumericRule',
  ALPHANUMERIC_RULES,
  'What becomes of an SMS whose sender is a name.',
  {
    allowed: 'It goes out from the name: for a connection that can, where the rule of all says otherwise.',
    replaced: 'It goes out from `numericSender`.',
    refused: 'It fails with `sender_not_possible`, and costs nothing.',
  },
);

const SenderRuleRef = builder.objectType(SenderRule, {
  name: 'SenderRule',
  description: 'What becomes of SMS to a country whose sender is a name. Without a rule they go out as they are.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the rule, `rul_…`.'),
    country: t.member('country', 'String', "The recipients' country, ISO 3166-1 alpha-2."),
    connectionId: t.nullable(
      'connectionId',
      'String',
      'The connection that it is for, before the rule of all; null: all.',
    ),
    alphanumeric: t.member('alphanumeric', AlphanumericRuleEnum, 'What becomes of them.'),
    numericSender: t.nullable('numericSender', 'String', 'The number that sends instead; null unless `REPLACED`.'),
    updatedAt: t.member('updatedAt', 'DateTime', 'When it was set.'),
  }),
});

builder.queryField('senderRules', t =>
  t.field({
    type: [SenderRuleRef],
    description: 'Every sender rule, by country. The operator only.',
    policy: { opens: 'operator' },
    resolve: (_root, _args, ctx) => listSenderRules(ctx),
  }),
);

builder.mutationFields(t => ({
  setSenderRule: t.field({
    type: SenderRuleRef,
    description: 'Sets the sender rule of a country, everywhere within a second. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(setSenderRuleInput, 'The rule.', setSenderRule),
  }),
  removeSenderRule: t.field({
    type: SenderRuleRef,
    description: 'Removes the sender rule of a country, everywhere within a second. The operator only.',
    policy: { opens: 'operator' },
    args: {
      country: t.arg.string({ required: true, description: 'Its country, ISO 3166-1 alpha-2.' }),
      connectionId: t.arg.string({ description: 'Its connection; absent: the rule of all.' }),
    },
    resolve: (_root, args, ctx) => removeSenderRule(ctx, args),
  }),
}));
