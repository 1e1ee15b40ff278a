import { openAsBlob } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { describe, inject } from 'vitest';
import { hasFailedTest } from './failures.ts';
import { databaseUrl, runSql, uniqueName } from './postgres.ts';

/** A migrated, empty database of one test file. `drop` it in `afterAll`, after everything that uses it has stopped. */
export type TestDatabase =
  | { kind: 'postgres'; url: string; drop(): Promise<void> }
  | { kind: 'pglite'; pglite: PGlite; drop(): Promise<void> };

/**
 * Makes a migrated database that belongs to the caller: a clone of the template (about 50 ms) or a PGlite loaded from the
 * migrated archive (about 300 ms). On a server that outlives the run (`TEST_DATABASE_URL`) the database of a file with a
 * failed test is kept and its URL printed. Throws in projects that have no database (unit, architecture).
 */
export async function createDatabase(): Promise<TestDatabase> {
  const source = getSource();
  if (source.kind === 'pglite') {
    const pglite = await PGlite.create({ loadDataDir: await openAsBlob(source.dumpPath) });
    return { kind: 'pglite', pglite, drop: () => pglite.close() };
  }
  const { clusterUrl, template, throwaway } = source;
  const name = uniqueName('heliograph_test');
  await runSql(clusterUrl, `create database "${name}" template "${template}"`);
  const url = databaseUrl(clusterUrl, name);
  const drop = async () => {
    if (hasFailedTest() && !throwaway) {
      console.info(`Kept the database of the failed test: ${name}`);
      return;
    }
    await runSql(clusterUrl, `drop database if exists "${name}" with (force)`);
  };
  return { kind: 'postgres', url, drop };
}

/** A `describe` for tests over several processes: PGlite is one process's own, so there they are left out, and it is said. */
export function describePostgres(title: string, body: () => void): void {
  if (getSource().kind === 'postgres') {
    describe(title, body);
    return;
  }
  console.info(`Left out: "${title}" needs several processes on one database, and this run is on PGlite.`);
  describe.skip(title, body);
}

function getSource() {
  const source = inject('testDatabase');
  if (!source) throw new Error('this project has no database: move the test to integration, conformance or e2e');
  return source;
}
