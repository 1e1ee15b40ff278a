/** The schema builder: plugins and scalars, but no types of rows. */
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import RelayPlugin from '@pothos/plugin-relay';
import { z } from 'zod';
import type { Ctx } from '../context.ts';
import { toInputError } from '../kernel/input.ts';
import type { WebhookEventName } from '../modules/webhooks/events/webhook-events.ts';
import { BigIntScalar } from './big-int.ts';
import './members.ts';
import { inputPlugin } from './plugins/input-plugin.ts';
import { policyPlugin } from './plugins/policy-plugin.ts';
import { revealPlugin } from './plugins/reveal-plugin.ts';
import { DateTimeScalar, JSONObjectScalar, NonNegativeIntScalar, PositiveIntScalar } from './scalars.ts';
import { fieldCost } from './server/document-cost.ts';

/** The type parameters of the builder: context, nullability and scalars. */
interface SchemaTypes {
  Context: Ctx;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    BigInt: { Input: bigint; Output: bigint };
    NonNegativeInt: { Input: number; Output: number };
    PositiveInt: { Input: number; Output: number };
    JSONObject: { Input: Record<string, unknown>; Output: Record<string, unknown> };
    WebhookEventName: { Input: WebhookEventName; Output: WebhookEventName };
  };
}

/** The types of the builder, with Pothos' own. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

/** The builder that every schema file adds to. Policies come before input rules: a stranger learns nothing about the input. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin, policyPlugin, revealPlugin, inputPlugin, ComplexityPlugin, DataloaderPlugin],
  // A rule that breaks is no fault of the input.
  zod: { validationError: (error: Error, args) => (error instanceof z.ZodError ? toInputError(error, args) : error) },
  // The server weighs an operation before it runs; nothing is weighed while it runs.
  complexity: { disabled: true, fieldComplexity: fieldCost },
  defaultFieldNullability: false,
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodesOnConnection: { description: 'The rows of the page.' },
    edgesFieldOptions: { nullable: false, description: 'The rows of the page, each with its cursor.' },
    nodesFieldOptions: { nullable: false },
    nodeFieldOptions: { nullable: false, description: 'The row.' },
    cursorFieldOptions: { description: 'Where the row stands: for `after`.' },
    pageInfoFieldOptions: { description: 'Where the page stands.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether there are older rows.' },
    hasPreviousPageFieldOptions: { description: 'Always false: pages go forward only.' },
    startCursorFieldOptions: { nullable: true, description: 'The cursor of the first row; null on an empty page.' },
    endCursorFieldOptions: {
      nullable: true,
      description:
        'The cursor that the next page goes on from, for `after`; null where the page is empty and the last.',
    },
  },
});

builder.addScalarType('DateTime', DateTimeScalar);
builder.addScalarType('BigInt', BigIntScalar);
builder.addScalarType('NonNegativeInt', NonNegativeIntScalar);
builder.addScalarType('PositiveInt', PositiveIntScalar);
builder.addScalarType('JSONObject', JSONObjectScalar);

builder.queryType({ description: 'Reading: messages, the log, senders, accounts.' });
builder.mutationType({ description: 'Changing: sending messages, and managing what they need.' });
builder.subscriptionType({ description: 'Following: what happens from now on, as server-sent events.' });
