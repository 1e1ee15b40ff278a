import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from 'vite';
import { REPOSITORY } from '../repository.ts';

/** Source text by path, relative to the repository, with `/`. Made from the disk or, to test a test, by hand. */
export type Sources = ReadonlyMap<string, string>;

/** A node of the syntax tree, as far as a search needs it. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** A comment. Line comments one below the other are one. */
export interface Comment {
  readonly doc: boolean;
  readonly value: string;
  readonly line: number;
  readonly end: number;
}

/** One source file, parsed. */
export interface ParsedSource {
  path: string;
  text: string;
  /** The imports and re-exports of the file, types and dynamic imports of a literal included. */
  imports: { specifier: string; names: string[]; line: number }[];
  exportsDefault: boolean;
  comments: Comment[];
  body: SyntaxNode[];
}

/** Reads every TypeScript and JavaScript file under `src`, and `mikro-orm.config.ts`. */
export function readSources(): Sources {
  return textsOf(['mikro-orm.config.ts', ...pathsIn('src').filter(path => /\.(ts|tsx|js|mjs)$/.test(path))]);
}

/** Reads the sources of the pages, and their operations. */
export function readPages(): Sources {
  return textsOf(pathsIn('src/dashboard/app').filter(path => /\.(ts|tsx|graphql)$/.test(path)));
}

/** Every file in a folder and below it, but for what a build put there. */
export function pathsIn(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(REPOSITORY, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(path => !path.startsWith('src/client/dist/'))
    .sort();
}

function textsOf(paths: readonly string[]): Sources {
  return new Map(paths.map(path => [path, readFileSync(join(REPOSITORY, path), 'utf8')]));
}

/** Parses one file. Throws on a syntax error. */
export function parseSource(path: string, text: string): ParsedSource {
  const { program, module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const body = program.body.map(toNode).filter(node => node !== null);
  const imports: ParsedSource['imports'] = [];
  const add = (specifier: string, start: number, names: string[] = []) =>
    imports.push({ specifier, names, line: lineAt(text, start) });
  for (const { moduleRequest, start, entries } of module.staticImports) {
    add(
      moduleRequest.value,
      start,
      entries.map(entry => entry.importName.name ?? entry.importName.kind),
    );
  }
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  for (const { moduleRequest, start } of exported) if (moduleRequest) add(moduleRequest.value, start);
  // `await import('x')` and the type `import('x').T` are both nodes with a literal `source`.
  for (const node of walk(body)) {
    if (node.type !== 'ImportExpression' && node.type !== 'TSImportType') continue;
    const source = toNode(node.source);
    if (typeof source?.value === 'string') add(source.value, node.start);
  }
  return {
    path,
    text,
    imports,
    exportsDefault: exported.some(({ exportName: name }) => name.kind === 'Default' || name.name === 'default'),
    comments: joined(comments, text),
    body,
  };
}

interface Written {
  readonly type: 'Line' | 'Block';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function joined(comments: readonly Written[], text: string): Comment[] {
  const made: (Comment & Pick<Written, 'type'>)[] = [];
  for (const { type, value, start, end } of comments) {
    const above = made.at(-1);
    const goesOn =
      type === 'Line' && above?.type === 'Line' && /^[ \t]*\r?\n[ \t]*$/.test(text.slice(above.end, start));
    const doc = type === 'Block' && value.startsWith('*');
    if (above && goesOn) made.splice(-1, 1, { ...above, value: `${above.value}\n${value}`, end });
    else made.push({ type, doc, value, line: lineAt(text, start), end });
  }
  return made;
}

/** Every node of a tree, parents first. */
export function* walk(nodes: Iterable<unknown>): Generator<SyntaxNode> {
  for (const value of nodes) {
    const node = toNode(value);
    if (node) {
      yield node;
      yield* walk(Object.values(node));
    } else if (Array.isArray(value)) {
      yield* walk(value);
    }
  }
}

/** The node that a value of a tree is, or null. */
export function toNode(value: unknown): SyntaxNode | null {
  return isNode(value) ? value : null;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
