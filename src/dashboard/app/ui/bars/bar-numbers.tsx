/** The numbers behind bars, for who cannot see them and who wants them exactly. */
import { Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Table } from '../table.tsx';
import { shownNumber } from '../words.ts';
import { type Bar, type Layer, rangeWord } from './bar.ts';
import styles from './bars.module.css';

/** The button that shows them as a table. */
export function BarNumbers({
  label,
  bars,
  layers,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly layers: readonly Layer[];
}): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  const counted = bars.filter(({ counts }) => Object.values(counts).some(count => count > 0)).toReversed();
  return (
    <>
      <button type="button" className={styles.numbers} onClick={open}>
        Numbers
      </button>
      <Modal opened={isOpen} onClose={close} title={label} size="lg">
        <Table
          label={label}
          rows={counted}
          keyOf={bar => bar.from}
          columns={[
            { head: 'Time', cell: bar => rangeWord(bar), isMain: true },
            ...layers.map(({ name, label: head }) => ({
              head,
              cell: (bar: Bar) => shownNumber(bar.counts[name] ?? 0),
              isNumber: true,
            })),
          ]}
        />
      </Modal>
    </>
  );
}
