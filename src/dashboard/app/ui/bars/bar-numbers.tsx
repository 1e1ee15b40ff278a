/** The numbers behind bars, for who cannot see them and who wants them exactly. */
import { useDisclosure } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Bar, Layer } from './bar.ts';
import styles from './bars.module.css';

const BarTable = lazy(async () => ({ default: (await import('./bar-table.tsx')).BarTable }));

/** The button that shows them as a table. */
export function BarNumbers(shown: {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly layers: readonly Layer[];
  readonly zoom: ((from: string, to: string) => void) | undefined;
}): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <button type="button" className={styles.numbers} onClick={open}>
        Numbers
      </button>
      {isOpen && (
        <Suspense>
          <BarTable {...shown} close={close} />
        </Suspense>
      )}
    </>
  );
}
