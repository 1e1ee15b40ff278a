/** The schema builder: plugins, scalars, scopes, and how input faults become ours. It defines no type of its own. */
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ZodPlugin from '@pothos/plugin-zod';
import type { Ctx } from '../context.ts';
import type { Area } from '../kernel/crypto/secrets.ts';
import { AppError } from '../kernel/errors.ts';
import { toInputError } from '../kernel/input.ts';
import { requireUnifiedApi } from '../modules/accounts/unified-api.policy.ts';
import type { WebhookEventName } from '../modules/webhooks/events/webhook-events.ts';
import { BigIntScalar } from './big-int.ts';
import { DateTimeScalar, JSONObjectScalar, NonNegativeIntScalar, PositiveIntScalar } from './scalars.ts';
import { fieldCost } from './server/document-cost.ts';

/** What the schema is typed by. */
interface SchemaTypes {
  Context: Ctx;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  AuthScopes: {
    /** Tokens of these areas, and an operator who acts for an account. */
    areas: readonly Area[];
    /** A live token of any area. */
    anyToken: boolean;
    /** The operator. */
    operator: boolean;
    /** Passes where the plan of a `unified` token is open, and refuses in its own words. For fields whose input is checked before their verb runs. */
    openPlan: boolean;
    /** Passes where the unified API of the account is open, whatever the area, and refuses in its own words. For the fields of webhooks, behind `areas` in `$all`, which asks in order. */
    openUnifiedApi: boolean;
  };
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    BigInt: { Input: bigint; Output: bigint };
    NonNegativeInt: { Input: number; Output: number };
    PositiveInt: { Input: number; Output: number };
    JSONObject: { Input: Record<string, unknown>; Output: Record<string, unknown> };
    WebhookEventName: { Input: WebhookEventName; Output: WebhookEventName };
  };
}

/** The builder that every schema file adds to. Scopes come before input rules: a stranger learns nothing about the input. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin, ScopeAuthPlugin, ZodPlugin, ComplexityPlugin],
  // The server weighs an operation before it runs; nothing is weighed while it runs.
  complexity: { disabled: true, fieldComplexity: fieldCost },
  defaultFieldNullability: false,
  relay: {
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
      description: 'The cursor of the last row, for the next page; null on an empty page.',
    },
  },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: ({ actor }) => ({
      areas: areas => actor.kind === 'operator' || (actor.kind === 'token' && areas.includes(actor.area)),
      anyToken: actor.kind !== 'anonymous',
      operator: actor.kind === 'operator',
      openPlan: () => {
        if (actor.kind === 'token' && actor.area === 'unified') requireUnifiedApi(actor.account);
        return true;
      },
      openUnifiedApi: () => {
        if (actor.kind !== 'anonymous' && actor.account) requireUnifiedApi(actor.account);
        return true;
      },
    }),
    unauthorizedError: (_parent, ctx) =>
      ctx.actor.kind === 'anonymous'
        ? new AppError('unauthenticated', 'A valid token is required.')
        : new AppError('wrong_area', 'The token does not open this field.'),
  },
  zod: { validationError: (error, args) => toInputError(error, args) },
});

builder.addScalarType('DateTime', DateTimeScalar);
builder.addScalarType('BigInt', BigIntScalar);
builder.addScalarType('NonNegativeInt', NonNegativeIntScalar);
builder.addScalarType('PositiveInt', PositiveIntScalar);
builder.addScalarType('JSONObject', JSONObjectScalar);

builder.queryType({ description: 'Reading: messages, the log, senders, accounts.' });
builder.mutationType({ description: 'Changing: sending messages, and managing what they need.' });
builder.subscriptionType({ description: 'Following: what happens from now on, as server-sent events.' });
