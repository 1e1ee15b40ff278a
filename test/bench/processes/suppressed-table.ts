/** The heap that the lists of suppressed people take in a process, as `suppressed.ts` asks: the database is that of the first argument. */
import { entities } from '../../../mikro-orm.config.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { openSuppressed } from '../../../src/modules/suppressions/suppressed-table.ts';

/** The heap and the loading time of the table. */
export interface SuppressedHeap {
  readonly bytes: number;
  readonly seconds: number;
}

const [url = ''] = process.argv.slice(2);
if (!global.gc) throw new Error('needs --expose-gc');
const { gc } = global;

/** The heap that something still holds. */
function heldBytes(): number {
  // Objects freed by one collection may let the next one free more.
  for (let times = 0; times < 3; times += 1) gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const database = await openDatabase({ url, poolSize: 2 }, entities);
const before = heldBytes();
const startedMs = performance.now();
const table = await openSuppressed(database, createKeyRing(Buffer.alloc(32, 7), []), error => {
  throw error;
});
const seconds = (performance.now() - startedMs) / 1_000;
const heap: SuppressedHeap = { bytes: heldBytes() - before, seconds };
process.stdout.write(JSON.stringify(heap));
await table.close();
await database.close();
