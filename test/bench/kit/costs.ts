/**
 * Costs that a busy machine changes less than it changes rates: CPU time and bytes of the write-ahead log. CPU time is the kernel's own
 * count in `/proc`, so only on Linux; NaN elsewhere.
 */
import { readdir, readFile } from 'node:fs/promises';
import { runSql } from '../../support/databases/postgres.ts';

/** The unit of `/proc/PID/stat`: a hundredth of a second, on every Linux. */
const TICK_US = 10_000;

/** The cost of some work. */
export interface Cost {
  /** CPU time of the gateways, all threads, in microseconds. */
  readonly gatewayUs: number;
  /** CPU time of all processes of PostgreSQL, those that have ended too, in microseconds. */
  readonly postgresUs: number;
  /** Bytes of the write-ahead log, full pages that follow a checkpoint included. */
  readonly walBytes: number;
  /** The same without those full pages; NaN where PostgreSQL brings no `pg_walinspect`. */
  readonly walBytesWithoutPages: number;
}

interface Stat {
  readonly parent: number;
  readonly ownUs: number;
  /** Of children that have ended and were waited for. */
  readonly endedUs: number;
}

async function statOf(pid: number): Promise<Stat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program stands in parentheses, and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number): number => Number(fields[index] ?? Number.NaN) * TICK_US;
  return { parent: Number(fields[1]), ownUs: ticks(11) + ticks(12), endedUs: ticks(13) + ticks(14) };
}

/** CPU time of a process since its start, all threads, in microseconds. */
export async function cpuUsOf(pid: number): Promise<number> {
  return (await statOf(pid)).ownUs;
}

/** A gateway's first process, and those that serve beside it. */
export async function processesOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** Resident memory of a process, in MiB. */
export async function memoryMiBOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1_024;
}

/** CPU time of the server at this machine that answers at a URL, all its processes, in microseconds. */
async function postgresUsOf(url: string): Promise<number> {
  const [row] = await runSql(url, "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid");
  const parent = Number(row?.pid);
  const server = await statOf(parent);
  let us = server.ownUs + server.endedUs;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const child = await statOf(Number(entry));
    if (child.parent === parent) us += child.ownUs;
  }
  return us;
}

async function walPosition(url: string): Promise<string> {
  const [row] = await runSql(url, 'select pg_current_wal_lsn()::text as position');
  return String(row?.position);
}

/** Bytes of the log between two positions, with and without full pages. */
async function walBetween(url: string, from: string, to: string): Promise<readonly [all: number, without: number]> {
  const [row] = await runSql(url, `select pg_wal_lsn_diff('${to}', '${from}')::float8 as bytes`);
  const all = Number(row?.bytes);
  try {
    await runSql(url, 'create extension if not exists pg_walinspect');
    const [pages] = await runSql(
      url,
      `select sum(fpi_size)::float8 as bytes from pg_get_wal_stats('${from}', '${to}', false)`,
    );
    return [all, all - Number(pages?.bytes)];
  } catch {
    // The extension is not installed, or a checkpoint has removed a part of the log.
    return [all, Number.NaN];
  }
}

/**
 * Measures what `work` costs gateways and the server at `databaseUrl`; it must wait for all that it causes. A checkpoint comes first, so
 * that it does not come in between.
 */
export async function costOf<Result>(
  pids: readonly number[],
  databaseUrl: string,
  work: () => Promise<Result>,
): Promise<readonly [Result, Cost]> {
  const gatewaysUs = async (): Promise<number> =>
    (await Promise.all(pids.map(cpuUsOf))).reduce((sum, one) => sum + one, 0);
  await runSql(databaseUrl, 'checkpoint');
  const from = await walPosition(databaseUrl);
  const before = { gateways: await gatewaysUs(), postgres: await postgresUsOf(databaseUrl) };
  const result = await work();
  const postgresUs = (await postgresUsOf(databaseUrl)) - before.postgres;
  const gatewayUs = (await gatewaysUs()) - before.gateways;
  const [walBytes, walBytesWithoutPages] = await walBetween(databaseUrl, from, await walPosition(databaseUrl));
  return [result, { gatewayUs, postgresUs, walBytes, walBytesWithoutPages }];
}

/** The cost of one of so many. */
export function costEach(cost: Cost, count: number): Cost {
  return {
    gatewayUs: cost.gatewayUs / count,
    postgresUs: cost.postgresUs / count,
    walBytes: cost.walBytes / count,
    walBytesWithoutPages: cost.walBytesWithoutPages / count,
  };
}
