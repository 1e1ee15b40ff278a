/** How soon a gateway is ready: in an empty data directory, where it makes its embedded database, and in one that has it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startChild, stopChild } from '../kit/children.ts';
import { cpuUsOf } from '../kit/costs.ts';
import { median, table } from '../kit/figures.ts';
import { START, untilListening } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';

interface Start {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Starts what `npm start` starts, and stops it when it is ready. */
async function measureStart(dataDir: string): Promise<Start> {
  const beganMs = performance.now();
  const child = startChild(process.execPath, START, { DATA_DIR: dataDir, PORT: '0' });
  try {
    const url = await untilListening(child);
    while (!(await fetch(`${url}/readyz`)).ok) await wait(10);
    const seconds = (performance.now() - beganMs) / 1_000;
    return { seconds, cpuSeconds: (await cpuUsOf(child.process.pid ?? 0)) / 1e6 };
  } finally {
    await stopChild(child);
  }
}

/** A first start, and a later one. */
export const startsPart: Part = {
  flag: '--start',
  about: 'a first start to ready on an empty data directory, and a later one',
  async run({ isQuick, say }) {
    const first: Start[] = [];
    const later: Start[] = [];
    for (let round = 0; round < (isQuick ? 1 : 5); round++) {
      const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
      try {
        first.push(await measureStart(dataDir));
        later.push(await measureStart(dataDir));
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    }
    const secondsOf = (starts: readonly Start[]): number => median(starts.map(start => start.seconds));
    const row = (title: string, starts: readonly Start[]): string[] => [
      title,
      secondsOf(starts).toFixed(2),
      median(starts.map(start => start.cpuSeconds)).toFixed(2),
    ];
    say(
      table([
        ['From the start of the process to ready, embedded database', 'seconds', 'CPU seconds'],
        row('in an empty data directory', first),
        row('in one that was used', later),
      ]),
    );
    return [
      atMost('first start to ready', secondsOf(first), 3, 's'),
      atMost('later start to ready', secondsOf(later), 1.5, 's'),
    ];
  },
};
