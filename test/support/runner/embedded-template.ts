import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A data directory with an embedded database that is migrated, with the queues of the jobs, and nothing of anybody's. */
    embeddedTemplate: string;
  }
}

/** Makes one embedded database for the run. Making it takes most of the time of a first start. */
export async function setup(project: TestProject): Promise<void> {
  const { readyPglite } = await import('../databases/ready.ts');
  const { openEmbedded } = await import('../../../src/db/embedded/embedded.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-embedded-'));
  project.vitest.onClose(() => rm(dataDir, { recursive: true, force: true }));
  const pglite = await openEmbedded(dataDir, 'relaxed');
  await readyPglite(pglite);
  await pglite.close();
  project.provide('embeddedTemplate', dataDir);
}

/** Fills a data directory, absent or empty, as a first start does until its database is ready. */
export function copyEmbedded(dataDir: string): Promise<void> {
  return cp(inject('embeddedTemplate'), dataDir, { recursive: true });
}
