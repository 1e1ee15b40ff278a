import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { REPOSITORY } from '../../support/repository.ts';

// Each makes an embedded database and migrates it.
vi.setConfig({ testTimeout: 240_000 });

const ENTITY = 'src/modules/plants/plant.entity.ts';
const MIGRATIONS = 'src/db/migrations';

let root: string;

/** A copy of the sources, to write into. */
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'heliograph-migration-'));
  for (const name of ['src', 'package.json', 'mikro-orm.config.ts'])
    await cp(join(REPOSITORY, name), join(root, name), {
      recursive: true,
      filter: path => !path.endsWith('/src/dashboard'),
    });
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Ran {
  readonly status: number;
  readonly output: string;
}

/** Runs the command where no database is set. */
function create(...args: readonly string[]): Promise<Ran> {
  return new Promise(resolve => {
    const env = { PATH: process.env.PATH };
    execFile('npm', ['run', '-s', 'migrate:create', '--', ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

const AGREE = { status: 0, output: 'Entities and migrations agree: there is nothing to write.\n' };

describe('npm run migrate:create', () => {
  test('writes nothing where entities and migrations agree', async () => {
    expect(await create('Nothing new.')).toEqual(AGREE);
  });

  test('asks for a sentence', async () => {
    expect(await create()).toEqual({ status: 2, output: expect.stringContaining('Say what it brings') });
  });

  test('writes the migration of a new column behind all others, and its lines in the list, and then that of a new table', async () => {
    const entity = await readFile(join(root, ENTITY), 'utf8');
    await writeFile(
      join(root, ENTITY),
      entity.replace('tag: p.text()', 'bed: p.text().nullable(),\n    tag: p.text()'),
    );
    const before = await readdir(join(root, MIGRATIONS));
    const { status, output } = await create('Gives plants a bed.');
    expect(status, output).toBe(0);
    const files = await readdir(join(root, MIGRATIONS));
    const [file = ''] = files.filter(name => !before.includes(name));
    expect(files.toSorted().at(-1)).toBe(file);
    expect(output).toContain(`src/db/migrations/${file}`);
    const [, stamp] = /^migration-(\d{14})\.ts$/.exec(file) ?? [];
    expect(await readFile(join(root, MIGRATIONS, file), 'utf8')).toBe(`/** Gives plants a bed. */
import { Migration } from '@mikro-orm/migrations';

/** Gives plants a bed. */
export class Migration${stamp} extends Migration {
  override up(): void {
    this.addSql(
      \`alter table "plants" add "bed" text null\`,
    );
  }
}
`);
    await writesTable();
  });

  /** Writes that of a new table that is to have partitions, which no migration makes yet. The one before it was run with the others, by its line in the list. */
  async function writesTable(): Promise<void> {
    const changed = ['src/db/partitions.ts', 'mikro-orm.config.ts', 'src/db/migrations.ts'] as const;
    const [partitions, config, list] = await Promise.all(changed.map(path => readFile(join(root, path), 'utf8')));
    const entity = 'src/modules/plants/seed.entity.ts';
    let made = '';
    onTestFinished(async () => {
      await writeFile(join(root, changed[0]), partitions ?? '');
      await writeFile(join(root, changed[1]), config ?? '');
      await writeFile(join(root, changed[2]), list ?? '');
      await rm(join(root, entity));
      if (made) await rm(join(root, MIGRATIONS, made));
    });
    await writeFile(
      join(root, entity),
      `import { defineEntity, p } from '@mikro-orm/core';
export const Seed = defineEntity({ name: 'Seed', tableName: 'seeds', properties: { id: p.uuid().primary() } });
`,
    );
    await writeFile(
      join(root, 'mikro-orm.config.ts'),
      `import { Seed } from './${entity}';\n${config?.replace('export const entities = [', 'export const entities = [\n  Seed,')}`,
    );
    await writeFile(
      join(root, 'src/db/partitions.ts'),
      partitions?.replace("['messages', 45],", "['messages', 45],\n  ['seeds', 100],") ?? '',
    );
    const before = await readdir(join(root, MIGRATIONS));
    const { status, output } = await create('Keeps seeds.');
    expect(status, output).toBe(0);
    made = (await readdir(join(root, MIGRATIONS))).find(name => !before.includes(name)) ?? '';
    const source = await readFile(join(root, MIGRATIONS, made), 'utf8');
    expect(source).toContain('create table "seeds"');
    expect(source.match(/addSql/g)).toHaveLength(1);
  }
});
