/** The log as the text of a file. */
import { askPatiently } from '../../../api/ask.ts';
import {
  type LogFilter,
  LogPageDocument,
  type LogRowFragment,
  SendPageDocument,
  type SendRowFragment,
} from '../../../api/operations.generated.ts';
import type { View } from '../filter/filter-state.ts';
import { factsOf } from '../sends/send-words.ts';
import { ATTEMPTS_CSV, type Csv, SENDS_CSV } from './csv.ts';

/** The formats of a file. */
export type Format = 'csv' | 'json';

/** The most rows that the gateway gives at once. */
const PAGE_SIZE = 200;

/** Parts of the time that are asked for side by side. The pages of one part follow one another: each has the cursor of the next. */
const PARTS = 4;

/** How far it has come. */
export interface Progressing {
  readonly rows: number;
  /** From 0 to 1: how much of the time has been passed through. */
  readonly part: number;
}

/** The rows of a view. */
interface Source<Row> {
  /** A page of them. @throws Failure */
  readonly page: (variables: Variables, signal: AbortSignal) => Promise<RowPage<Row>>;
  readonly csv: Csv<Row>;
  readonly timeOf: (row: Row) => string;
}

interface Variables {
  readonly filter: LogFilter;
  readonly first: number;
  readonly after: string | null;
}

interface RowPage<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const ATTEMPTS: Source<LogRowFragment> = {
  page: async (variables, signal) => (await askPatiently(LogPageDocument, variables, signal)).logs,
  csv: ATTEMPTS_CSV,
  timeOf: ({ createdAt }) => createdAt,
};

const MESSAGES: Source<SendRowFragment> = {
  page: async (variables, signal) => (await askPatiently(SendPageDocument, variables, signal)).sends,
  csv: { head: SENDS_CSV.head, line: row => SENDS_CSV.line({ ...row, ...factsOf(row) }) },
  timeOf: row => factsOf(row).createdAt,
};

/** The view, the filter and the format of an export. */
export interface Exported {
  readonly view: View;
  readonly filter: LogFilter;
  readonly format: Format;
}

/** The parts of a file, a page at a time: what is exported never stands in memory as objects. @throws Failure */
export function collectLog(
  { view, filter, format }: Exported,
  tell: (progress: Progressing) => void,
  signal: AbortSignal,
): Promise<BlobPart[]> {
  return view === 'attempts'
    ? collect(ATTEMPTS, filter, format, tell, signal)
    : collect(MESSAGES, filter, format, tell, signal);
}

async function collect<Row extends object>(
  source: Source<Row>,
  filter: LogFilter,
  format: Format,
  tell: (progress: Progressing) => void,
  signal: AbortSignal,
): Promise<BlobPart[]> {
  const spans = partsOf(filter, Date.now());
  // A failure of one part ends the others too.
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const passed = spans.map(() => 0);
  let rows = 0;
  const texts = await Promise.all(
    spans.map(async (span, index) => {
      const pages: BlobPart[] = [];
      for await (const { nodes, part } of pagesOf(source, span, either)) {
        // A Blob, so that the text leaves the memory of the page.
        if (nodes.length > 0)
          pages.push(new Blob([nodes.map(format === 'csv' ? source.csv.line : toJson).join(separator(format))]));
        rows += nodes.length;
        passed[index] = part;
        tell({ rows, part: passed.reduce((sum, one) => sum + one, 0) / spans.length });
      }
      return pages;
    }),
  ).catch(error => {
    failed.abort();
    throw error;
  });
  const separated = texts.flat().flatMap((page, index) => (index === 0 ? [page] : [separator(format), page]));
  return format === 'csv' ? [source.csv.head, ...separated] : ['[\n', ...separated, '\n]\n'];
}

const toJson = (row: object): string => JSON.stringify(row);

/** The text between two rows: a line of CSV brings its own line break. */
function separator(format: Format): string {
  return format === 'csv' ? '' : ',\n';
}

/** The filter for each part of its time, the newest first. Each part has an end, so that rows of a later time stay out. */
function partsOf(filter: LogFilter, nowMs: number): LogFilter[] {
  const to = filter.to ?? new Date(nowMs).toISOString();
  if (!filter.from) return [{ ...filter, to }];
  const [fromMs, toMs] = [Date.parse(filter.from), Date.parse(to)];
  const boundOf = (index: number): string =>
    new Date(Math.round(toMs - ((toMs - fromMs) * index) / PARTS)).toISOString();
  return Array.from({ length: PARTS }, (_, index) => ({
    ...filter,
    from: index === PARTS - 1 ? (filter.from ?? null) : boundOf(index + 1),
    to: index === 0 ? to : boundOf(index),
  }));
}

/** The pages of a filter, each with how much of its time they have passed through, from 0 to 1. */
async function* pagesOf<Row>(
  source: Source<Row>,
  filter: LogFilter,
  signal: AbortSignal,
): AsyncGenerator<{ nodes: readonly Row[]; part: number }> {
  const [fromMs, toMs] = [Date.parse(filter.from ?? ''), Date.parse(filter.to ?? '')];
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: RowPage<Row> = await source.page({ filter, first: PAGE_SIZE, after }, signal);
    const last = nodes.at(-1);
    const passed = last ? (toMs - Date.parse(source.timeOf(last))) / (toMs - fromMs) : 1;
    yield { nodes, part: pageInfo.hasNextPage && !Number.isNaN(passed) ? Math.min(0.99, passed) : 1 };
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}
