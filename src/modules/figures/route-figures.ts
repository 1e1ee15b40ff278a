/** How what was sent arrived, by the connection that it went by and the country that it went to. Part of the overview. */
import type { Ctx } from '../../context.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { fromUuid, toUuid, uuidFloor } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { reading } from '../reading/reading.ts';
import { COUNT_ROUTES } from './figures.sql.ts';

/** How many attempts are looked at: a page must not wait for a million rows. */
export const ROUTES_NEWEST = 20_000;

/** How many rows are told: the rest are countries that little goes to. */
const ROUTES_MAX = 30;

/** The attempts by one connection to one country. */
export type RouteFigures = Answer<typeof COUNT_ROUTES>;

/** The attempts by connection and country since a time, the most first; of the newest 20,000 attempts. @throws AppError as `readScope` */
export async function routeFigures(ctx: Ctx, { from }: { readonly from: Date }): Promise<RouteFigures[]> {
  const account = toUuid(readScope(ctx).accountId);
  const values = { account, from: uuidFloor(from), newest: ROUTES_NEWEST, most: ROUTES_MAX };
  const rows = await reading(ctx, ({ services, signal }) => COUNT_ROUTES.run(services.database.sql(signal), values));
  return rows.map(row => ({ ...row, connectionId: row.connectionId && fromUuid('con', row.connectionId) }));
}
