/** Prepared statements of PGlite: planned once, and run by one message. Its own `query` takes six, and plans each time. */
import { type PGlite, parse, protocol } from '@electric-sql/pglite';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Prepared } from '../statements/prepared.ts';
import type { Sql } from '../statements/sql.ts';

const { serialize } = protocol;

/** A statement that PGlite has planned, and the types of its parameters. */
interface Planned {
  readonly statement: string;
  readonly types: readonly number[];
}

/** The plans of each PGlite by their text. A PGlite has one connection, however often it is opened as a database. */
const plans = new WeakMap<PGlite, { readonly known: Map<string, Planned>; count: number }>();

/** Prepares statements on the one connection of PGlite, which keeps them until it is closed. */
export function prepareEmbedded(pglite: PGlite): Prepared {
  const own = plans.get(pglite) ?? { known: new Map<string, Planned>(), count: 0 };
  plans.set(pglite, own);
  const { known } = own;
  const plan = async (text: string): Promise<Planned> => {
    // Counted before: the name of one that could not be planned may be taken.
    const statement = `heliograph_${own.count++}`;
    const described = await pglite.execProtocolStream(
      Buffer.concat([
        serialize.parse({ name: statement, text }),
        serialize.describe({ type: 'S', name: statement }),
        serialize.sync(),
      ]),
      { syncToFs: false },
    );
    const planned = { statement, types: parse.parseDescribeStatementResults(described) };
    known.set(text, planned);
    return planned;
  };
  // Whoever calls has the connection for himself.
  const alone: Sql = {
    async executeQuery<Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<QueryResult<Row>> {
      const { statement, types } = known.get(text) ?? (await plan(text));
      const values = parameters.map((value, at) => {
        if (value === null || value === undefined) return null;
        return pglite.serializers[types[at] ?? 0]?.(value) ?? String(value);
      });
      const messages = await pglite.execProtocolStream(
        Buffer.concat([
          serialize.bind({ statement, values }),
          serialize.describe({ type: 'P' }),
          serialize.execute({}),
          serialize.sync(),
        ]),
        { syncToFs: false },
      );
      const [result] = parse.parseResults(messages, pglite.parsers);
      return { rows: (result?.rows ?? []) as Row[] };
    },
  };
  const prepared: Sql = {
    executeQuery: query => pglite._runExclusiveTransaction(() => alone.executeQuery(query)),
  };
  return { sql: () => prepared, transaction: run => pglite.transaction(() => run(alone)) };
}
