/**
 * Run as a process of its own: `node --permission --allow-fs-read=* import-probe.ts <folder> <module>…`. Imports the modules one after
 * another and prints one line of JSON. The line has the forbidden acts of modules under the folder at import, and the
 * handles that are open afterwards. The process ends by itself where nothing holds it; the caller bounds the time.
 * Writes, child processes and workers are refused by Node's permission model and show as a module that does not load.
 */
import dgram from 'node:dgram';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The output of the probe. */
export interface ProbeReport {
  imported: number;
  faults: string[];
  handles: string[];
}

const [folder = '', ...modules] = process.argv.slice(2);
const watched = pathToFileURL(`${resolve(folder)}/`).href;
const faults = new Set<string>();
let current = '';

Error.stackTraceLimit = 100;

function report(what: string): void {
  faults.add(`${current}: ${what}`);
}

/** The callers, nearest first, without this file. */
function callers(): string[] {
  return (new Error().stack ?? '')
    .split('\n')
    .filter(line => line.startsWith('    at ') && !line.includes(import.meta.url));
}

/** Whether a watched module called, itself or through a library. Node reading the modules to import does not count. */
function isCalledFromWatched(): boolean {
  const lines = callers();
  const nearest = lines.findIndex(line => line.includes(watched));
  return nearest >= 0 && !lines.slice(0, nearest).some(line => line.includes('node:internal/modules/'));
}

/** Libraries may look at the environment as they load; our modules may not, so only the nearest caller counts. */
function isCalledByWatched(): boolean {
  return callers()[0]?.includes(watched) ?? false;
}

function watchEnvironment(): void {
  const note = (name: string | symbol) => {
    if (isCalledByWatched()) report(`reads the environment (${String(name)})`);
  };
  process.env = new Proxy(process.env, {
    get(target, name, receiver) {
      note(name);
      return Reflect.get(target, name, receiver);
    },
    has(target, name) {
      note(name);
      return Reflect.has(target, name);
    },
    ownKeys(target) {
      note('all of it');
      return Reflect.ownKeys(target);
    },
  });
}

function watchMethods(owner: object, what: string, isFault: () => boolean, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== 'function') continue;
    const proxy = new Proxy(original, {
      apply(target, self, args) {
        if (isFault()) report(`${what} (${name})`);
        return Reflect.apply(target, self, args);
      },
    });
    Reflect.set(owner, name, proxy);
  }
}

function watchAll(): void {
  watchEnvironment();
  const always = () => true;
  const functionsOf = (owner: object) => Object.keys(owner).filter(name => /^[a-z]/.test(name));
  watchMethods(fs, 'uses a file', isCalledFromWatched, functionsOf(fs));
  watchMethods(fs.promises, 'uses a file', isCalledFromWatched, functionsOf(fs.promises));
  watchMethods(net.Server.prototype, 'listens', always, ['listen']);
  watchMethods(net.Socket.prototype, 'connects', always, ['connect']);
  watchMethods(dgram.Socket.prototype, 'opens a socket', always, ['bind', 'connect', 'send']);
  syncBuiltinESMExports();
}

watchAll();
for (const path of modules) {
  current = relative(resolve(folder, '..'), resolve(path));
  try {
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    report(`does not load: ${error instanceof Error ? error.message : String(error)}`);
  }
}
// The pipe that this is printed to is not a handle of the modules.
const handles = process
  .getActiveResourcesInfo()
  .filter(name => !/^(Pipe|PipeWrap|TTYWrap|FSReqCallback|CloseReq)$/.test(name));
const result: ProbeReport = { imported: modules.length, faults: [...faults], handles };
fs.writeSync(1, `${JSON.stringify(result)}\n`);
