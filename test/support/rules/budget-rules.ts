import { posix } from 'node:path';
import { lineAt, type ParsedSource, parseSource, type Sources, type SyntaxNode, toNode, walk } from './sources.ts';

const LINES_MAX = 300;
const FILES_MAX = 15;
const ENVIRONMENT_READERS = [
  'src/config.ts',
  'src/heliograph.js',
  'src/start.js',
  'src/channels/chat-qr/driver-process.ts',
  'src/channels/chat-qr/driver/main.ts',
];
/** Sources that somebody else's generator writes. */
const FOREIGN = /^src\/dashboard\/.*\.generated\.ts$/;
const GENERATED = /\.generated\.ts$/;

const CONSOLE_USERS = /^src\/(cli\/.*|main\.ts|start\.js|dashboard\/.*)$/;
const MIGRATION = /^src\/db\/migrations\//;

/** Files whose statements may have any length. */
const STATEMENTS = /\.sql\.ts$/;
const STATEMENT_LINES_MAX = 3;

/** Gives one sentence for each place under `src` that breaks a rule of size or habit; none is an empty list. */
export function findBudgetFaults(sources: Sources): string[] {
  const own = [...sources].filter(([path]) => path.startsWith('src/'));
  return own
    .map(([path, text]) => parseSource(path, text))
    .flatMap(file => [
      ...findSizeFaults(file),
      ...findEnvironmentReads(file),
      ...findConsoleUses(file),
      ...findUnfinished(file),
      ...findLongStatements(file),
      ...findUndocumented(file),
    ]);
}

/** Gives one sentence for each folder with too many files. Each migration is a file for ever; their folder alone may grow. */
export function findCrowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths.filter(one => !MIGRATION.test(one)))
    counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, files]) => files > FILES_MAX)
    .map(([folder, files]) => `${folder}: ${files} files, at most ${FILES_MAX}`);
}

function findSizeFaults(file: ParsedSource): string[] {
  const lines = file.text.replace(/\n$/, '').split('\n').length;
  const isWritten = !MIGRATION.test(file.path) && !GENERATED.test(file.path);
  return lines > LINES_MAX && isWritten ? [`${file.path}: ${lines} lines, at most ${LINES_MAX}`] : [];
}

function findEnvironmentReads(file: ParsedSource): string[] {
  if (ENVIRONMENT_READERS.includes(file.path)) return [];
  const lines = file.imports
    .filter(({ specifier, names }) => /^(node:)?process$/.test(specifier) && names.includes('env'))
    .map(({ line }) => line);
  for (const node of walk(file.body)) {
    const reads = node.type === 'MemberExpression' && isName(node.object, 'process') && isKey(node.property, 'env');
    const takes = node.type === 'VariableDeclarator' && isName(node.init, 'process') && hasKey(node.id, 'env');
    if (reads || takes) lines.push(lineAt(file.text, node.start));
  }
  return lines.map(line => `${file.path}:${line}: process.env is read in src/config.ts only`);
}

function findConsoleUses(file: ParsedSource): string[] {
  if (CONSOLE_USERS.test(file.path)) return [];
  return [...walk(file.body)]
    .filter(node => node.type === 'MemberExpression' && isName(node.object, 'console'))
    .map(node => `${file.path}:${lineAt(file.text, node.start)}: console in server code; use the logger`);
}

function findLongStatements(file: ParsedSource): string[] {
  if (STATEMENTS.test(file.path) || MIGRATION.test(file.path)) return [];
  return [...walk(file.body)]
    .filter(node => node.type === 'TemplateLiteral')
    .map(node => ({ start: node.start, text: file.text.slice(node.start + 1, node.end - 1).trim() }))
    .filter(
      ({ text }) => /^(with|select|insert|update|delete)\s/.test(text) && text.split('\n').length > STATEMENT_LINES_MAX,
    )
    .map(
      ({ start }) =>
        `${file.path}:${lineAt(file.text, start)}: a statement of more than ${STATEMENT_LINES_MAX} lines stands in a file *.sql.ts`,
    );
}

function findUnfinished(file: ParsedSource): string[] {
  return [...file.text.matchAll(/\b(TODO|FIXME)\b/g)].map(
    match => `${file.path}:${lineAt(file.text, match.index)}: ${match[0]}`,
  );
}

/** Exported functions, classes, constants and types; of an overloaded function the first signature speaks for all. */
function findUndocumented(file: ParsedSource): string[] {
  if (FOREIGN.test(file.path)) return [];
  const seen = new Set<string>();
  return file.body.flatMap(node => {
    const declaration = node.type === 'ExportNamedDeclaration' ? toNode(node.declaration) : null;
    if (!declaration) return [];
    const name = nameOf(declaration);
    if (seen.has(name) || hasDocComment(file, node.start)) {
      seen.add(name);
      return [];
    }
    seen.add(name);
    return [`${file.path}:${lineAt(file.text, node.start)}: ${name} is exported without a doc comment`];
  });
}

function nameOf(declaration: SyntaxNode): string {
  const [first] = Array.isArray(declaration.declarations) ? declaration.declarations : [declaration];
  const id = toNode(toNode(first)?.id);
  return typeof id?.name === 'string' ? id.name : declaration.type;
}

/** Right above means on the line before, or with only line comments (a linter's, say) between. */
function hasDocComment(file: ParsedSource, start: number): boolean {
  return file.comments.some(
    ({ doc, end }) =>
      doc && end <= start && /^[ \t]*(\r?\n[ \t]*\/\/.*)*\r?\n?[ \t]*$/.test(file.text.slice(end, start)),
  );
}

function isName(value: unknown, name: string): boolean {
  const node = toNode(value);
  return node?.type === 'Identifier' && node.name === name;
}

function isKey(value: unknown, name: string): boolean {
  return isName(value, name) || toNode(value)?.value === name;
}

function hasKey(pattern: unknown, name: string): boolean {
  const properties = toNode(pattern)?.properties;
  return Array.isArray(properties) && properties.some(property => isKey(toNode(property)?.key, name));
}
