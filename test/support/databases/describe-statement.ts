/** The types of a statement, as a database tells them without running it. */
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { TestDatabase } from './database.ts';

/** The types, as ids of `pg_type`. */
export interface Described {
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

/** Asks a database about statements, and for rows. */
export interface Describer {
  describe(text: string): Promise<Described>;
  rows<Row>(text: string): Promise<Row[]>;
  end(): Promise<void>;
}

/** Opens what asks a test's database. */
export async function openDescriber(database: TestDatabase): Promise<Describer> {
  if (database.kind === 'pglite') return pgliteDescriber(database.pglite);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    describe: text => describeOn(client, text),
    rows: async <Row>(text: string) => (await client.query<Row & pg.QueryResultRow>(text)).rows,
    end: () => client.end(),
  };
}

function pgliteDescriber(pglite: PGlite): Describer {
  return {
    async describe(text) {
      const { queryParams, resultFields } = await pglite.describeQuery(text);
      return {
        parameters: queryParams.map(({ dataTypeID }) => dataTypeID),
        columns: resultFields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
      };
    },
    rows: async <Row>(text: string) => (await pglite.query<Row>(text)).rows,
    end: async () => undefined,
  };
}

/** Parse and Describe of the protocol, which the driver sends only together with an execution. */
function describeOn(client: pg.Client, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    let parameters: readonly number[] = [];
    let columns: Described['columns'] = [];
    const noteParameters = (message: { dataTypeIDs: number[] }): void => {
      parameters = message.dataTypeIDs;
    };
    client.query({
      submit(connection: pg.Connection) {
        connection.once('parameterDescription', noteParameters);
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
      },
      // After it, the driver takes the query for over.
      handleError(error: Error, connection: pg.Connection) {
        connection.off('parameterDescription', noteParameters);
        reject(error);
      },
      handleReadyForQuery() {
        resolve({ parameters, columns });
      },
    } as unknown as pg.Submittable);
  });
}
