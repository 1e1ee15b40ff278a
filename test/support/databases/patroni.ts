/** A PostgreSQL of two servers that fails over: Patroni, etcd and HAProxy, set as the files of deploy/patroni show it. */
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/free-ports.ts';
import { REPOSITORY } from '../repository.ts';
import { type Program, startProgram } from '../smpp/programs.ts';
import { findOwner, type Owner } from './cluster.ts';

/** A cluster that runs. */
export interface PatroniCluster extends AsyncDisposable {
  /** The primary, through HAProxy. */
  readonly url: string;
  /** The replica, through HAProxy. */
  readonly replicaUrl: string;
  /** Ends the primary and what keeps it at once, as the loss of its machine does; the returned function starts it again. */
  killPrimary(): Promise<() => void>;
}

interface Node {
  readonly name: string;
  readonly data: string;
  readonly rest: number;
  readonly file: string;
  program: Program | null;
}

/** Starts one, and waits for nothing. */
export async function startPatroni(): Promise<PatroniCluster> {
  const owner = await findOwner();
  const folder = await mkdtemp(join(owner.uid === undefined ? tmpdir() : '/tmp', 'heliograph-patroni-'));
  await chmod(folder, 0o755);
  const [etcd, peer, primary, replica] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const programs = [await startEtcd(join(folder, 'etcd'), { etcd, peer }, owner)];
  const nodes = await Promise.all(['one', 'two'].map(name => prepareNode(folder, name, etcd, owner)));
  const launch = (node: Node): void => {
    node.program = startProgram('/usr/bin/patroni', [node.file], owner);
  };
  nodes.forEach(launch);
  programs.push(await startHaproxy(folder, nodes, { primary, replica }));
  return {
    url: `postgresql://postgres@127.0.0.1:${primary}/postgres`,
    replicaUrl: `postgresql://postgres@127.0.0.1:${replica}/postgres`,
    async killPrimary() {
      const node = await findPrimary(nodes);
      await end(node, 'SIGKILL');
      return () => launch(node);
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await end(node, 'SIGQUIT');
      for (const program of programs) await program[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
}

async function startEtcd(data: string, { etcd, peer }: Record<'etcd' | 'peer', number>, owner: Owner) {
  await makeOwn(data, owner);
  const [client, own] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`];
  const program = startProgram(
    '/usr/bin/etcd',
    [
      ...['--data-dir', join(data, 'data'), '--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', own, '--initial-advertise-peer-urls', own, '--initial-cluster', `default=${own}`],
    ],
    owner,
  );
  await program.line(/ready to serve client requests/);
  return program;
}

async function makeOwn(folder: string, { uid, gid }: Owner): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
}

/** The documented file with addresses of this machine, where everybody is trusted. */
async function prepareNode(parent: string, name: string, etcd: number, owner: Owner): Promise<Node & { port: number }> {
  const folder = join(parent, name);
  await makeOwn(folder, owner);
  const [port, rest] = [await freePort(), await freePort()];
  const data = join(folder, 'data');
  const sample = await readFile(join(REPOSITORY, 'deploy/patroni/patroni.yml'), 'utf8');
  const text = sample
    .replace(/^name: .*/m, `name: ${name}`)
    .replaceAll('10.0.0.11:8008', `127.0.0.1:${rest}`)
    .replaceAll('10.0.0.11:5432', `127.0.0.1:${port}`)
    .replace('10.0.0.21:2379', `127.0.0.1:${etcd}`)
    .replace(/data_dir: .*/, `data_dir: ${data}\n  pgpass: ${join(folder, 'pgpass')}`)
    .replace(/unix_socket_directories: .*/, `unix_socket_directories: ${folder}`)
    .replace('local all all peer', 'local all all trust')
    .replaceAll('10.0.0.0/24 scram-sha-256', '127.0.0.1/32 trust');
  const file = join(parent, `${name}.yml`);
  await writeFile(file, text);
  return { name, data, rest, port, file, program: null };
}

async function startHaproxy(
  folder: string,
  nodes: readonly (Node & { port: number })[],
  { primary, replica }: Record<'primary' | 'replica', number>,
): Promise<Program> {
  const sample = await readFile(join(REPOSITORY, 'deploy/patroni/haproxy.cfg'), 'utf8');
  const text = nodes.reduce(
    (config, { name, port, rest }) =>
      config.replaceAll(new RegExp(`server ${name} .*`, 'g'), `server ${name} 127.0.0.1:${port} check port ${rest}`),
    sample.replace('127.0.0.1:5000', `127.0.0.1:${primary}`).replace('127.0.0.1:5001', `127.0.0.1:${replica}`),
  );
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, text);
  return startProgram('/usr/sbin/haproxy', ['-db', '-f', file]);
}

async function findPrimary(nodes: readonly Node[]): Promise<Node> {
  for (const node of nodes) {
    const answer = await fetch(`http://127.0.0.1:${node.rest}/primary`).catch(() => null);
    if (answer?.ok) return node;
  }
  throw new Error('no server is the primary');
}

/** Ends Patroni and then its server, whose processes follow it. */
async function end(node: Node, signal: NodeJS.Signals): Promise<void> {
  await node.program?.[Symbol.asyncDispose]();
  const file = await readFile(join(node.data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  if (!(pid > 1)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process is gone already.
  }
}
