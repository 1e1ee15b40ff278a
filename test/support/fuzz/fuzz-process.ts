/**
 * `fuzz-process.ts <targets> <ms> <seed> [keep|blind]`: searches targets, divided by commas, one after another, and prints the result of each as a line of
 * JSON. The process is their own, so that nothing else is counted. With `keep` it stores the inputs that reached new code, and one that fails, where `npm test` runs them again. With `blind` nothing guides it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLANTED } from './planted/planted.ts';
import { search } from './search.ts';
import { folderOf, keptOf, TARGETS } from './targets.ts';

const [names = '', ms, seed, how] = process.argv.slice(2);
for (const name of names.split(',')) {
  const target = [...TARGETS, ...PLANTED].find(one => one.name === name);
  if (!target) throw new Error(`no target is called ${name}: ${TARGETS.map(one => one.name).join(', ')}`);
  const plan = { ms: Number(ms), seed: Number(seed), kept: [...keptOf(target).values()], isGuided: how !== 'blind' };
  const { runs, reached, kept, finding } = await search(target, plan);
  if (how === 'keep') {
    const folder = folderOf(target);
    mkdirSync(folder, { recursive: true });
    for (const input of finding ? [...kept, finding.input] : kept)
      writeFileSync(join(folder, createHash('sha256').update(input).digest('hex').slice(0, 12)), input);
  }
  const found = finding && { fault: finding.fault, input: finding.input.toString('base64') };
  process.stdout.write(`${JSON.stringify({ name, runs, reached, kept: kept.length, found })}\n`);
}
