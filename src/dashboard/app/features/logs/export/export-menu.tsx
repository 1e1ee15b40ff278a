/** The export of what is filtered: page by page into a file, with its progress. */
import { Button, Menu } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { LogFilter } from '../../../api/operations.generated.ts';
import { saveFile } from '../../../ui/copy/save-file.ts';
import { Failure } from '../../../ui/failure.ts';
import { Icon } from '../../../ui/icons.tsx';
import type { View } from '../filter/filter-state.ts';
import type { Format, Progressing } from './collect-log.ts';

const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }));

/** The button and what it opens. `filterNow` is asked where an export starts: a page may be hours old by then. */
export function ExportMenu({
  filterNow,
  view,
}: {
  readonly filterNow: () => LogFilter;
  readonly view: View;
}): ReactNode {
  const [progress, setProgress] = useState<Progressing | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const abort = useRef<AbortController | null>(null);
  // Nobody could end it from another page, and a file would come minutes later.
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (format: Format): Promise<void> => {
    const ending = new AbortController();
    abort.current = ending;
    const { signal } = ending;
    setFailure(null);
    setProgress({ rows: 0, part: 0 });
    try {
      const { collectLog } = await import('./collect-log.ts');
      const parts = await collectLog({ view, filter: filterNow(), format }, setProgress, signal);
      saveFile(
        new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/json' }),
        `heliograph-log.${format}`,
      );
      setProgress(null);
    } catch (error) {
      if (error instanceof Failure) setFailure(error);
      else if (!signal.aborted) throw error;
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
      {progress && (
        <Suspense>
          <ExportDialog progress={progress} failure={failure} close={close} />
        </Suspense>
      )}
    </>
  );
}
