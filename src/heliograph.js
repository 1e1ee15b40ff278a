#!/usr/bin/env node
// The command `npx heliograph`. Plain JavaScript that an old Node can parse: it hands over to the Node of the dependencies, as npm run does.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 24 || (major === 24 && minor < 16);
const name = process.platform === 'win32' ? 'node.exe' : 'node';
const pinned = fileURLToPath(
  new URL(
    `../node_modules/node-${process.platform.replace('win32', 'win')}-${process.arch}/bin/${name}`,
    import.meta.url,
  ),
);

if (isOld && existsSync(pinned)) {
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A signal to this process alone must reach the command; one to the whole group reaches it twice, which counts as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (status, signal) => {
    if (signal === null) process.exitCode = status ?? 1;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
} else {
  process.argv.splice(2, 0, 'cli');
  await import('./start.js');
}
