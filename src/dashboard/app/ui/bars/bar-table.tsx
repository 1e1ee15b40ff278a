/** The dialog with the numbers behind bars; loaded when it is opened first. */
import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenDialog } from '../dialogs/open-dialog.ts';
import { Table } from '../table.tsx';
import { rangeWord } from '../times.tsx';
import { shownNumber } from '../words.ts';
import type { Bar, Layer } from './bar.ts';

/** The dialog. */
export function BarTable({
  label,
  bars,
  layers,
  zoom,
  close,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly layers: readonly Layer[];
  /** Shows a part of the time by itself; absent: nothing can. */
  readonly zoom: ((from: string, to: string) => void) | undefined;
  readonly close: () => void;
}): ReactNode {
  useOpenDialog();
  const counted = bars.filter(({ counts }) => Object.values(counts).some(count => count > 0)).toReversed();
  return (
    <Modal opened onClose={close} title={label} size="lg">
      <Table
        label={label}
        rows={counted}
        keyOf={bar => bar.from}
        columns={[
          {
            head: 'Time',
            cell: ({ from, to }) =>
              zoom ? (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  onClick={() => {
                    close();
                    zoom(from, to);
                  }}
                >
                  {rangeWord(from, to)}
                </Button>
              ) : (
                rangeWord(from, to)
              ),
            isMain: true,
          },
          ...layers.map(({ name, label: head }) => ({
            head,
            cell: (bar: Bar) => shownNumber(bar.counts[name] ?? 0),
            isNumber: true,
          })),
        ]}
      />
    </Modal>
  );
}
