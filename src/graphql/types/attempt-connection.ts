/** The connection of an attempt in GraphQL: loaded for all attempts of a request at once. */
import type { Ctx } from '../../context.ts';
import {
  type Attempted,
  type NamedConnection,
  nameConnections,
  sharedNameOf,
} from '../../modules/connections/name-connections.ts';
import type { Attempt } from '../../modules/routing/attempt.entity.ts';
import { builder } from '../builder.ts';
import { loadTogether } from '../held-or-loaded.ts';

/** `AttemptConnection` */
export const AttemptConnectionRef = builder.objectRef<NamedConnection>('AttemptConnection').implement({
  description: 'The connection that an attempt went by, which may be removed since.',
  fields: t => ({
    connectionId: t.member('id', 'String', 'Id of the connection, `con_…`.'),
    name: t.member('name', 'String', 'What the operator calls it.'),
  }),
});

/** The options of the field `connection` of what may have gone by one. */
export const CONNECTION_FIELD = {
  type: AttemptConnectionRef,
  nullable: true,
  description: 'The connection that it went by; null: the sandbox, or none.',
  resolve: (attempt: Attempted, _args: object, ctx: Ctx) => connectionOf(attempt, ctx),
} as const;

/** The options of the field `pricing` of an attempt. */
export const PRICING_FIELD = {
  type: 'JSONObject',
  nullable: true,
  description: 'The price of the message, as the receipts of its provider write it; null: they do not say.',
  resolve: ({ pricing }: Pick<Attempt, 'pricing'>) => pricing ?? null,
} as const;

const loadName = loadTogether(nameConnections);

/** The connection of an attempt. Null costs nothing. */
function connectionOf(attempt: Attempted, ctx: Ctx): Promise<NamedConnection | null> | null {
  if (attempt.connectionId == null) return null;
  return sharedNameOf(attempt) ?? loadName(ctx, attempt.connectionId);
}
