import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

  test('writes the migration of a new column behind all others, and its lines in the list', async () => {
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
    // It was run with the others, by its line in the list.
    expect(await create('Nothing new.')).toEqual(AGREE);
  });
});
