#!/usr/bin/env node
// The command `npx heliograph`. Plain JavaScript that an old Node can parse: it hands over to the Node of the dependencies, as npm run does.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Flags of V8 for the gateway, as `npm start` has them. */
const GATEWAY_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=50'];

const { env } = process;
const root = fileURLToPath(new URL('..', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 24 || (major === 24 && minor < 16);
const node = (isOld && findPinned()) || process.execPath;
const flags = process.argv[2] === 'start' ? GATEWAY_FLAGS : [];

if (node !== process.execPath || flags.some(flag => !process.execArgv.includes(flag))) {
  handOver();
} else {
  // A clone has one data directory, that of `npm start`, wherever the command is typed. An installed package has one in each such folder.
  if (!env.DATA_DIR && basename(dirname(root)) !== 'node_modules') env.DATA_DIR = join(root, '.data');
  process.argv.splice(2, 0, 'cli');
  await import('./start.js');
}

/** The Node of the dependencies, which stand beside this package where it is installed, or null. */
function findPinned() {
  const { platform, arch } = process;
  const file = platform === 'win32' ? `node-win-${arch}/bin/node.exe` : `node-${platform}-${arch}/bin/node`;
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return null;
  }
}

/** Runs the same command in that Node with those flags, and ends as it does. */
function handOver() {
  const args = [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  // A signal to this process alone must reach the command; one to the whole group reaches it twice, which counts as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (env.npm_command === 'exec') endWithParent(child);
  child.on('exit', (status, signal) => {
    if (signal === null) process.exitCode = status ?? 1;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

/**
 * npx hands a signal to its shell alone, and the shell ends without handing it on: its end is the signal.
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithParent(child) {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    child.kill();
  }, 500);
  timer.unref();
}
