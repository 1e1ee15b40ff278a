/** The request log in GraphQL: `requests`, and what an account has kept in it. */

import { ERRORS } from '../../kernel/errors.ts';
import { idTime } from '../../kernel/ids.ts';
import { shownAddress } from '../../modules/audit/list-audit.ts';
import { listRequests, listRequestsInput } from '../../modules/requests/list-requests.ts';
import { LoggedRequest, REQUEST_ACTORS } from '../../modules/requests/logged-request.entity.ts';
import { updateRequestLog, updateRequestLogInput } from '../../modules/requests/update-request-log.ts';
import { builder } from '../builder.ts';
import { connectionOf, toConnection } from '../connection.ts';
import { argsFrom, byInput, defineEnum } from '../from-zod.ts';
import { AccountRef } from './accounts.ts';

const RequestActorEnum = defineEnum('RequestActor', REQUEST_ACTORS, 'Who asked for something.', {
  token: 'Who has a token of the account.',
  user: 'A person who is signed in to the account.',
  operator: 'The operator of the gateway.',
  stranger: 'Somebody whom nothing makes known.',
});

const LoggedRequestRef = builder.objectType(LoggedRequest, {
  name: 'LoggedRequest',
  description: 'One request that was answered. It holds no text, no code and no number of a phone.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the entry, `rql_…`.'),
    accountId: t.nullable('accountId', 'String', 'Whose request it was; null: of no account that is known.'),
    actor: t.member('actor', RequestActorEnum, 'Who asked.'),
    tokenId: t.nullable('tokenId', 'String', 'The token that asked, `tok_…`; null: none that is known.'),
    method: t.member('method', 'String', 'The HTTP method.'),
    path: t.member('path', 'String', 'The path. Of one that does not exist only plain words are kept.'),
    operation: t.nullable('operation', 'String', 'The operation of GraphQL; null: REST, or it has no name.'),
    status: t.member('status', 'Int', 'The HTTP status of the answer. GraphQL tells refusals with 200, too.'),
    code: t.nullable('code', 'String', 'Why it was refused, like `rate_limited`; null: it was accepted.'),
    meaning: t.string({
      nullable: true,
      description: 'That `code` in a sentence; null: it was accepted, or the code is one of GraphQL itself.',
      resolve: ({ code }) => titleOf(code ?? null),
    }),
    field: t.nullable('field', 'String', 'The first field at fault; null: it is about none.'),
    clientAddress: t.field({
      type: 'String',
      nullable: true,
      description: "The address that the request came from; the operator's is shown to the operator alone.",
      resolve: (request, _args, ctx) => shownAddress(ctx, request),
    }),
    durationMs: t.member('durationMs', 'NonNegativeInt', 'Milliseconds from its arrival to its answer.'),
    requestId: t.member('requestId', 'String', 'The `X-Request-Id`, with `…` for numbers that the caller chose.'),
    leftOut: t.member(
      'leftOut',
      'NonNegativeInt',
      'How many more of the account, refused or accepted as it is, were not kept in the minute after it, as they were too many.',
    ),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was answered.',
      resolve: ({ id }) => idTime(id),
    }),
  }),
});

/** The title of the code of a refusal; null: none is known. */
function titleOf(code: string | null): string | null {
  const row = Object.entries(ERRORS).find(([known]) => known === code)?.[1];
  return row ? `${row.title}.` : null;
}

const RequestConnection = connectionOf(LoggedRequestRef, 'LoggedRequest', 'the request log', 'A request');

builder.queryField('requests', t =>
  t.field({
    type: RequestConnection,
    description:
      'The requests of an account that were refused, newest first, and the accepted ones where the account has them kept. Tokens: management (of its account); the operator: all, also those of strangers.',
    policy: { opens: ['management'] },
    ...argsFrom(listRequestsInput),
    resolve: async (_root, args, ctx) => toConnection(await listRequests(ctx, args)),
  }),
);

builder.mutationField('updateRequestLog', t =>
  t.field({
    type: AccountRef,
    description: 'Sets what the request log of an account keeps. Tokens: management; the operator.',
    policy: { opens: ['management'] },
    ...byInput(updateRequestLogInput, 'What it keeps.', updateRequestLog),
  }),
);
