/** Faults of stored configs that open: a rule of their provider refuses a value that an older version took. */
import { providerOf } from '../../channels/registry.ts';
import type { Ctx } from '../../context.ts';
import { toInputError } from '../../kernel/input.ts';
import type { Connection } from './connection.entity.ts';
import { openConfig } from './sealed-config.ts';

/** How a connection is, with why it is down and since when. */
export type Health = Pick<Connection, 'health' | 'healthError' | 'healthSince'>;

/** The member of the config that is refused now, and why, as `accepted.body must be …`; null: this process can use the config, or cannot open it. */
export function findConfigFault({ services: { keys, providers } }: Ctx, connection: Connection): string | null {
  if (providers.of(connection.id) !== null) return null;
  const opened = openConfig(keys, connection);
  const schema = providerOf(connection.provider)?.configSchema;
  const parsed = opened && schema?.safeParse(opened.config);
  if (!parsed || parsed.success) return null;
  const [fault] = toInputError(parsed.error, opened.config).details.errors ?? [];
  return fault ? `${fault.field} ${fault.message}` : null;
}

/** How a connection is: down where its config cannot be used, else as the process said that saw it change last. */
export function healthOf(ctx: Ctx, connection: Connection): Health {
  const fault = findConfigFault(ctx, connection);
  if (fault === null) return connection;
  return { health: 'down', healthError: `The config cannot be used: ${fault}.`, healthSince: null };
}
