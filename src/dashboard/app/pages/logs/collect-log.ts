/** The log as the text of a file. */
import { ask } from '../../api/ask.ts';
import { type LogFilter, LogPageDocument, type LogRowFragment } from '../../api/operations.generated.ts';
import { csvHead, csvLine } from './csv.ts';

/** What a file can be. */
export type Format = 'csv' | 'json';

/** The most rows that the gateway gives at once. */
const PAGE_SIZE = 200;

/** How far it has come. */
export interface Progressing {
  readonly rows: number;
  /** From 0 to 1: how much of the time has been passed through. */
  readonly part: number;
}

/** The texts of a file, a page at a time: what is exported never stands in memory as objects. */
export async function collectLog(
  filter: LogFilter,
  format: Format,
  tell: (progress: Progressing) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const started = Date.now();
  // What comes while it runs is not of it: it ends.
  const fixed = { ...filter, to: filter.to ?? new Date(started).toISOString() };
  const from = filter.from ? Date.parse(filter.from) : null;
  const end = Date.parse(fixed.to);
  const parts = [format === 'csv' ? csvHead() : '['];
  let rows = 0;
  for (let after: string | null = null; ; ) {
    const {
      logs,
    }: { logs: { nodes: LogRowFragment[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } = await ask(
      LogPageDocument,
      { filter: fixed, first: PAGE_SIZE, after },
      signal,
    );
    const text = logs.nodes.map(row => (format === 'csv' ? csvLine(row) : JSON.stringify(row)));
    parts.push(format === 'csv' ? text.join('') : `${rows > 0 && text.length > 0 ? ',' : ''}\n${text.join(',\n')}`);
    rows += logs.nodes.length;
    const last = logs.nodes.at(-1);
    const passed = last && from !== null ? (end - Date.parse(last.createdAt)) / (end - from) : 1;
    tell({ rows, part: logs.pageInfo.hasNextPage ? Math.min(0.99, passed) : 1 });
    if (!logs.pageInfo.hasNextPage) break;
    after = logs.pageInfo.endCursor;
  }
  if (format === 'json') parts.push('\n]\n');
  return parts;
}
