import { openAsBlob } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { describe, inject } from 'vitest';
import { type Leak, type Read, refuseLeaks, scan } from '../leaks/leak-scan.ts';
import { hasFailedTest } from '../runner/failures.ts';
import { databaseUrl, runSql, uniqueName } from './postgres.ts';

/**
 * A database of one test file: migrated, with the queues of the jobs, and empty otherwise. Call `drop` in `afterAll`, after everything that uses
 * the database has stopped. A drop throws where the code of an OTP is in the database, or was told (`leak-scan.ts`).
 */
export type TestDatabase =
  | { kind: 'postgres'; url: string; drop(): Promise<void> }
  | { kind: 'pglite'; pglite: PGlite; drop(): Promise<void> };

/**
 * Makes a migrated database that belongs to the caller: a clone of the template, or a PGlite loaded from the migrated
 * archive. A clone takes about 50 ms, a PGlite about 300 ms. On a server that outlives the run (`TEST_DATABASE_URL`) the database of a file with a
 * failed test is kept and its URL printed. Throws in projects that have no database (unit, architecture).
 */
export async function createDatabase(): Promise<TestDatabase> {
  const source = getSource();
  if (source.kind === 'pglite') {
    const pglite = await PGlite.create({ loadDataDir: await openAsBlob(source.dumpPath) });
    const drop = async () => {
      const leaks = await scan(readPglite(pglite));
      await pglite.close();
      refuseLeaks(leaks);
    };
    return { kind: 'pglite', pglite, drop };
  }
  const { clusterUrl, template, throwaway } = source;
  const name = uniqueName('heliograph_test');
  await runSql(clusterUrl, `create database "${name}" template "${template}"`);
  const url = databaseUrl(clusterUrl, name);
  const drop = async () => {
    const leaks = await scanPostgres(url);
    if (hasFailedTest() && !throwaway) console.info(`Kept the database of the failed test: ${name}`);
    else await runSql(clusterUrl, `drop database if exists "${name}" with (force)`);
    refuseLeaks(leaks);
  };
  return { kind: 'postgres', url, drop };
}

/** Reads an embedded database. */
export function readPglite(pglite: PGlite): Read {
  return async <Row>(sql: string) => (await pglite.query<Row>(sql)).rows;
}

async function scanPostgres(url: string): Promise<Leak[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'heliograph-tests' });
  await client.connect();
  try {
    return await scan(async <Row>(sql: string) => (await client.query<Row & pg.QueryResultRow>(sql)).rows);
  } finally {
    await client.end();
  }
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
