import { posix } from 'node:path';
import { findFloorFaults } from './page-rules.ts';
import { type ParsedSource, parseSource, type Sources } from './sources.ts';

const INNER = ['kernel'];
const RING = [...INNER, 'db', 'queue', 'outbound', 'mail', 'channels', 'observability'];
const CORE = [...RING, 'context', 'modules'];
const EDGES = ['graphql', 'rest', 'worker'];

/**
 * The rooms that each room may import, from the innermost out:
 * `kernel ← {db, queue, outbound, mail, observability} ← channels ← context ← modules ← {graphql, rest, worker, cli} ← app ← main`. The command line also starts the app in process, so the app does not know it.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  config: INNER,
  db: INNER,
  queue: INNER,
  outbound: INNER,
  mail: INNER,
  channels: [...INNER, 'outbound'],
  observability: INNER,
  context: RING,
  modules: [...RING, 'context'],
  graphql: CORE,
  rest: CORE,
  worker: CORE,
  processes: [...INNER, 'observability'],
  cli: [...CORE, 'config', 'app'],
  app: [...CORE, ...EDGES, 'config'],
  main: [...CORE, ...EDGES, 'processes', 'config', 'app', 'cli'],
  // A package of its own: no room imports it.
  client: [],
  // Run by `npm run build` only.
  build: [...CORE, ...EDGES, 'app'],
};

const ROOM_OF_FILE: Readonly<Record<string, string>> = {
  'mikro-orm.config.ts': 'app',
  'src/app.ts': 'app',
  'src/open-database.ts': 'app',
  'src/config.ts': 'config',
  'src/context.ts': 'context',
  'src/main.ts': 'main',
  'src/heliograph.js': 'main',
  'src/start.js': 'main',
};

const DRIVERS = /^@mikro-orm\/(postgresql|pglite)(\/|$)/;
const TRANSPORT = /^(graphql|graphql-yoga|graphql-scalars|hono|@hono\/[^/]+|@pothos\/[^/]+)(\/|$)/;
const ORM = /^@mikro-orm\//;
const PURE_FILE = /\.(policy|status|input)\.ts$/;

/**
 * Gives a sentence for each import of the server or the dashboard that the architecture does not allow; none is an empty
 * list.
 */
export function findImportFaults(sources: Sources): string[] {
  const files = [...sources].map(([path, text]) => parseSource(path, text));
  const server = files.filter(file => !isDashboard(file.path));
  const dashboard = files.filter(file => isDashboard(file.path));
  return [
    ...server.flatMap(findRoomFaults),
    ...server.flatMap(findPackageFaults),
    ...server.flatMap(findShapeFaults),
    ...findModuleCycles(server),
    ...findFileCycles(files),
    ...dashboard.flatMap(findDashboardFaults),
    ...findFloorFaults(dashboard),
  ];
}

function isDashboard(path: string): boolean {
  return path.startsWith('src/dashboard/');
}

/** A room is a folder of `src`; the few files beside the folders are rooms, or parts of one, by name. */
function roomOf(path: string): string | null {
  const named = ROOM_OF_FILE[path];
  if (named) return named;
  const folder = /^src\/([^/]+)\//.exec(path)?.[1];
  return folder && folder in MAY_IMPORT ? folder : null;
}

function resolveRelative(file: ParsedSource, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : null;
}

function findRoomFaults(file: ParsedSource): string[] {
  const room = roomOf(file.path);
  if (!room) return [`${file.path}: no room of the architecture`];
  return file.imports.flatMap(({ specifier, line }) => {
    const at = `${file.path}:${line}`;
    if (/^[#/~]/.test(specifier) || specifier.startsWith('file:')) return [`${at}: path alias ${specifier}`];
    const target = resolveRelative(file, specifier);
    // Data beside the sources (package.json) is nobody's room.
    if (!target || /^[^/]+\.json$/.test(target)) return [];
    const other = roomOf(target);
    if (!other) return [`${at}: ${specifier} is in no room of the server`];
    if (other === room || MAY_IMPORT[room]?.includes(other)) return [];
    return [`${at}: ${room} may not import ${other} (${specifier})`];
  });
}

function findPackageFaults(file: ParsedSource): string[] {
  const room = roomOf(file.path) ?? '';
  return file.imports.flatMap(({ specifier, line }) => {
    const fault = (why: string) => [`${file.path}:${line}: ${specifier} ${why}`];
    if (DRIVERS.test(specifier) && file.path.startsWith('src/') && room !== 'db') return fault('outside of src/db');
    if (TRANSPORT.test(specifier) && ['kernel', 'outbound', 'channels', 'modules'].includes(room))
      return fault(`in ${room}`);
    if (ORM.test(specifier) && (room === 'kernel' || PURE_FILE.test(file.path))) return fault('in a pure file');
    return [];
  });
}

function findShapeFaults(file: ParsedSource): string[] {
  const faults: string[] = [];
  const needsDefault = file.path.startsWith('src/db/migrations/') || !file.path.startsWith('src/');
  if (file.exportsDefault && !needsDefault) faults.push(`${file.path}: default export`);
  if (posix.basename(file.path) === 'index.ts') faults.push(`${file.path}: index file; import the defining file`);
  return faults;
}

function findDashboardFaults(file: ParsedSource): string[] {
  return file.imports.flatMap(({ specifier, line }) => {
    const target = resolveRelative(file, specifier);
    // Pages of the documentation are shown as they are.
    const isPublic = target?.startsWith('schema.graphql') || /^docs\/.*\.md/.test(target ?? '');
    if (!target || isDashboard(target) || isPublic) return [];
    return [`${file.path}:${line}: the dashboard may not import ${specifier}`];
  });
}

function findModuleCycles(files: ParsedSource[]): string[] {
  return cyclesOf(files, moduleOf).map(cycle => `modules in a cycle: ${cycle}`);
}

function findFileCycles(files: ParsedSource[]): string[] {
  return cyclesOf(files, path => path || null).map(cycle => `files in a cycle: ${cycle}`);
}

/** The cycles of imports between what files are a part of. Each is told once, from the member that comes first in the alphabet. */
function cyclesOf(files: ParsedSource[], partOf: (path: string) => string | null): string[] {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const from = partOf(file.path);
    if (!from) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const { specifier } of file.imports) {
      const to = partOf(resolveRelative(file, specifier) ?? '');
      if (to && to !== from) targets.add(to);
    }
  }
  return [...graph.keys()].flatMap(start => {
    const cycle = findShortestPathBack(graph, start);
    return cycle ? [[...cycle, start].join(' → ')] : [];
  });
}

function moduleOf(path: string): string | null {
  return /^src\/modules\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** The shortest way from a part back to itself over parts that come after it in the alphabet; null where there is none. */
function findShortestPathBack(graph: ReadonlyMap<string, Set<string>>, start: string): string[] | null {
  const seen = new Set([start]);
  for (let paths = [[start]]; paths.length > 0; ) {
    const longer: string[][] = [];
    for (const path of paths) {
      for (const next of graph.get(path.at(-1) ?? start) ?? []) {
        if (next === start) return path;
        if (next < start || seen.has(next)) continue;
        seen.add(next);
        longer.push([...path, next]);
      }
    }
    paths = longer;
  }
  return null;
}
