/** `npm run migrate:create`: writes the migration from what the migrations make to what the entities say, found on a throwaway database. */
import { readFileSync, writeFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { Migrator } from '@mikro-orm/migrations';
import { entities } from '../../mikro-orm.config.ts';
import { migrations } from '../db/migrations.ts';
import { openDatabase } from '../db/orm.ts';

const LIST = new URL('../db/migrations.ts', import.meta.url);

const USAGE = `Say what it brings: npm run migrate:create -- 'Gives messages a campaign.'`;

/** The statements that are missing; none where entities and migrations agree. @throws errors of PGlite */
async function findMissing(): Promise<string[]> {
  const pglite = await PGlite.create();
  const database = await openDatabase({ pglite }, entities);
  try {
    // Without the partitions: a table that is to have some is only made by what is written here.
    await new Migrator(database.orm.em).up();
    const { up } = await database.orm.schema.getUpdateSchemaMigrationSQL({ wrap: false });
    return up
      .split(/;\n+/)
      .map(statement => statement.trim())
      .filter(statement => statement !== '');
  } finally {
    await database.close();
    await pglite.close();
  }
}

/** The time of a new migration, as names have it. The newest one may be dated ahead of this machine. */
function nextStamp(): string {
  // biome-ignore lint/plugin: a file of the sources is dated by the machine that writes it
  const now = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const newest = migrations.at(-1)?.name.replace('migration-', '') ?? '0';
  return now > newest ? now : String(Number(newest) + 1);
}

function sourceOf(stamp: string, description: string, statements: readonly string[]): string {
  const lines = statements.map(statement => `    this.addSql(\n      \`${statement}\`,\n    );`);
  return `/** ${description} */
import { Migration } from '@mikro-orm/migrations';

/** ${description} */
export class Migration${stamp} extends Migration {
  override up(): void {
${lines.join('\n')}
  }
}
`;
}

/** The list of migrations with one more at its end. */
function withEntry(list: string, stamp: string): string {
  const name = `Migration${stamp}`;
  return list
    .replace(
      /(import \{ Migration\d+ \} .*\n)(?!import)/,
      `$1import { ${name} } from './migrations/migration-${stamp}.ts';\n`,
    )
    .replace(/const all = \[\s*([^\]]*?),?\s*\];/, `const all = [$1, ${name}];`);
}

/** Writes the migration and its lines in the list, and answers a sentence about them. */
async function createMigration(description: string): Promise<string> {
  const statements = await findMissing();
  if (statements.length === 0) return 'Entities and migrations agree: there is nothing to write.';
  const stamp = nextStamp();
  const file = `migrations/migration-${stamp}.ts`;
  writeFileSync(new URL(file, LIST), sourceOf(stamp, description, statements));
  writeFileSync(LIST, withEntry(readFileSync(LIST, 'utf8'), stamp));
  return `Wrote src/db/${file} and its lines in src/db/migrations.ts. Read its statements, write its \`down\`, run npm run format.`;
}

if (import.meta.main) {
  const [description] = process.argv.slice(2);
  if (description === undefined) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
  } else process.stdout.write(`${await createMigration(description)}\n`);
}
