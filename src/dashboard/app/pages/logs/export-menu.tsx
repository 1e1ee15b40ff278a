/** The export of what is filtered: page by page into a file, with its progress. */
import { Button, Menu, Modal, Progress } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { ask, Failure } from '../../api/ask.ts';
import { type LogFilter, LogPageDocument, type LogRowFragment } from '../../api/operations.generated.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { counted } from '../../ui/words.ts';
import { csvHead, csvLine } from './csv.ts';

type Format = 'csv' | 'json';

/** The most rows that the gateway gives at once. */
const PAGE_SIZE = 200;

interface Progressing {
  readonly rows: number;
  /** From 0 to 1: how much of the time has been passed through. */
  readonly part: number;
}

/** The button and what it opens. */
export function ExportMenu({ filter }: { readonly filter: LogFilter }): ReactNode {
  const [progress, setProgress] = useState<Progressing | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const abort = useRef<AbortController | null>(null);
  const start = async (format: Format): Promise<void> => {
    abort.current = new AbortController();
    setFailure(null);
    setProgress({ rows: 0, part: 0 });
    try {
      const parts = await collect(filter, format, setProgress, abort.current.signal);
      save(new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/json' }), `heliograph-log.${format}`);
      setProgress(null);
    } catch (error) {
      if (error instanceof Failure) setFailure(error);
      else if (!abort.current.signal.aborted) throw error;
    }
  };
  const close = (): void => {
    abort.current?.abort();
    setProgress(null);
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={14} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void start('csv')}>As CSV</Menu.Item>
          <Menu.Item onClick={() => void start('json')}>As JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={progress !== null} onClose={close} title="Exporting the log">
        {progress && (
          <>
            <p className="numbers">{counted(progress.rows, 'row')} so far</p>
            <Progress value={progress.part * 100} aria-label="Progress of the export" color="gray" />
          </>
        )}
        {failure && <FailureNote failure={failure} />}
        <Button mt="md" variant="default" onClick={close}>
          {failure ? 'Close' : 'Cancel'}
        </Button>
      </Modal>
    </>
  );
}

/** The texts of a file, a page at a time: what is exported never stands in memory as objects. */
async function collect(
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

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
