#!/usr/bin/env node
// The command `npx heliograph`. Plain JavaScript that an old Node can parse: it hands over to the Node of the dependencies, as npm run does.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 24 || (major === 24 && minor < 16);
const isWindows = process.platform === 'win32';
const pinned = join(
  root,
  `node_modules/node-${isWindows ? 'win' : process.platform}-${process.arch}/bin/node${isWindows ? '.exe' : ''}`,
);

if (isOld && existsSync(pinned)) {
  handOver(pinned);
} else {
  // The folder that npm start uses, wherever below it this was typed.
  const { env } = process;
  if (!env.DATA_DIR) env.DATA_DIR = join(root, '.data');
  process.argv.splice(2, 0, 'cli');
  await import('./start.js');
}

/**
 * Runs the same command in another Node, and ends as it does.
 * @param {string} node
 */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A signal to this process alone must reach the command; one to the whole group reaches it twice, which counts as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (status, signal) => {
    if (signal === null) process.exitCode = status ?? 1;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}
