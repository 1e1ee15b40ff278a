import { posix } from 'node:path';
import type { ParsedSource, Sources } from './sources.ts';

const FLOORS = ['shared', 'ui', 'api', 'frame'];

/**
 * The floors of `src/dashboard` that each floor may import, from the lowest up:
 * `files beside the rooms ← ui ← api ← frame ← features ← files of the app`. A feature knows no other feature.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  docs: ['shared'],
  playground: ['shared'],
  ui: FLOORS.slice(0, 1),
  api: FLOORS.slice(0, 2),
  frame: FLOORS.slice(0, 3),
};

const APP = 'src/dashboard/app/';

/** Gives one sentence for each import of the dashboard that its floors do not allow; none is an empty list. */
export function findFloorFaults(files: readonly ParsedSource[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line }) => {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : '';
      if (!target.startsWith('src/dashboard/') || isBelow(path, target)) return [];
      return [`${path}:${line}: ${roomOf(path)} may not import ${roomOf(target)} (${specifier})`];
    }),
  );
}

/**
 * Gives a sentence for each operation or fragment that is unused, or used from outside its room and the floors above it. None is an
 * empty list. The sources are the pages with their `.graphql` files.
 */
export function findOperationFaults(sources: Sources): string[] {
  const homes = new Map<string, string>();
  for (const [path, text] of sources)
    if (path.endsWith('.graphql')) for (const name of defined(text)) homes.set(name, path);
  const faults: string[] = [];
  const unused = new Set(homes.keys());
  for (const [path, text] of sources) {
    if (path.endsWith('.generated.ts')) continue;
    for (const name of usedIn(path, text)) {
      const home = homes.get(name);
      if (!home) continue;
      unused.delete(name);
      if (!isBelow(path, home)) faults.push(`${path}: ${name} is of ${roomOf(home)}, not of ${roomOf(path)}`);
    }
  }
  return [...faults, ...[...unused].map(name => `${homes.get(name)}: nothing uses ${name}`)];
}

/** Whether what is at `target` is in the room of `path` or in one that it may use. */
function isBelow(path: string, target: string): boolean {
  const room = roomOf(path);
  const other = roomOf(target);
  return room === 'app' || room === other || (MAY_IMPORT[room] ?? FLOORS).includes(other);
}

/** The floor of a file; a feature is one by its name: `features/send`. The files of the app know all. */
function roomOf(path: string): string {
  const [first = '', ...others] = path.slice((path.startsWith(APP) ? APP : 'src/dashboard/').length).split('/');
  if (others.length === 0) return path.startsWith(APP) ? 'app' : 'shared';
  return first === 'features' ? `${first}/${others[0]}` : first;
}

function defined(text: string): string[] {
  return [...text.matchAll(/^(?:query|mutation|subscription|fragment) (\w+)/gm)].map(([, name = '']) => name);
}

/** The fragments that a `.graphql` file spreads, or the operations and fragments whose types and documents a source imports. */
function usedIn(path: string, text: string): string[] {
  if (path.endsWith('.graphql')) return [...text.matchAll(/\.\.\.\s*(\w+)/g)].map(([, name = '']) => name);
  const imports = text.matchAll(/import (?:type )?\{([^}]*)\} from '[^']*\/operations\.generated\.ts'/g);
  return [...imports]
    .flatMap(([, names = '']) => names.split(','))
    .map(name =>
      name.replace(/^\s*(type )?/, '').replace(/(Document|Fragment|(Query|Mutation|Subscription)(Variables)?)\s*$/, ''),
    );
}
