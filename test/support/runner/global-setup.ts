import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { type Cluster, startCluster } from '../databases/cluster.ts';
import { databaseUrl, runSql, uniqueName } from '../databases/postgres.ts';
import { REPOSITORY } from '../repository.ts';

/** The database of this run, as every test file is told of it; `createDatabase` reads it. */
export type TestDatabaseSource =
  | { kind: 'postgres'; clusterUrl: string; template: string; throwaway: boolean }
  | { kind: 'pglite'; dumpPath: string };

declare module 'vitest' {
  interface ProvidedContext {
    testDatabase: TestDatabaseSource;
  }
}

const TEST_FOLDER = join(REPOSITORY, 'test');

/**
 * Makes one database for the run that is ready: a template on PostgreSQL, or an archive where there is only PGlite, and says
 * which. Several projects name this file; the first to come does the work, and the end of the run takes it away.
 */
export async function setup(project: TestProject): Promise<void> {
  const root = project.vitest.getRootProject();
  if (root.getProvidedContext().testDatabase) return;
  const cluster = await startCluster();
  if (cluster) project.vitest.onClose(() => cluster.stop());
  const made = cluster ? await makeTemplate(cluster) : await makeDump();
  project.vitest.onClose(made.remove);
  root.provide('testDatabase', made.source);
}

interface Made {
  source: TestDatabaseSource;
  remove(): Promise<void>;
}

async function makeTemplate(cluster: Cluster): Promise<Made> {
  const { readyDatabase } = await import('../databases/ready.ts');
  // A server that was given may serve several runs at once, so there the template has a name of its own.
  const template = cluster.throwaway ? 'heliograph_template' : uniqueName('heliograph_template');
  await runSql(cluster.url, `create database "${template}"`);
  await readyDatabase(databaseUrl(cluster.url, template));
  // A database with a connection cannot be cloned: from here on nobody can open one.
  await runSql(cluster.url, `alter database "${template}" with allow_connections false`);
  const [row] = await runSql(cluster.url, "select current_setting('server_version') as version");
  const where = cluster.throwaway ? 'a throwaway cluster' : 'the server of TEST_DATABASE_URL';
  console.info(`Tests run on PostgreSQL ${String(row?.version)}, ${where}.`);
  return {
    source: { kind: 'postgres', clusterUrl: cluster.url, template, throwaway: cluster.throwaway },
    remove: async () => {
      if (!cluster.throwaway) await runSql(cluster.url, `drop database if exists "${template}" with (force)`);
    },
  };
}

async function makeDump(): Promise<Made> {
  const { readyPglite } = await import('../databases/ready.ts');
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-pglite-'));
  const dumpPath = join(folder, 'migrated.tar');
  const pglite = await PGlite.create();
  try {
    await readyPglite(pglite);
    const dump = await pglite.dumpDataDir('none');
    await writeFile(dumpPath, dump.stream());
  } finally {
    await pglite.close();
  }
  const leftOut = await findPostgresOnly();
  const why =
    leftOut.length > 0 ? `Left out, as they need several processes: ${leftOut.join('; ')}.` : 'Nothing left out.';
  console.info(`Tests run on PGlite (no PostgreSQL asked for or found). ${why}`);
  return { source: { kind: 'pglite', dumpPath }, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Titles of the `describePostgres` blocks, as `file: title`. */
async function findPostgresOnly(): Promise<string[]> {
  const files = await readdir(TEST_FOLDER, { recursive: true });
  const titles = await Promise.all(
    files
      .filter(file => file.endsWith('.test.ts'))
      .sort()
      .map(async file => {
        const text = await readFile(join(TEST_FOLDER, file), 'utf8');
        return [...text.matchAll(/^\s*describePostgres\(\s*(['"`])(.*?)\1/gm)].map(match => `${file}: ${match[2]}`);
      }),
  );
  return titles.flat();
}
