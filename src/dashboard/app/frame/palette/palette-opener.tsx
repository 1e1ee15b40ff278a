/** What opens the command palette, and loads it. */
import { Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import styles from '../frame.module.css';

const load = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** The palette once it was opened, and what opens it: ⌘K or Ctrl-K anywhere, and `/` where nothing is being typed. */
export function usePalette(): { readonly palette: ReactNode; readonly open: () => void } {
  const [isWanted, setWanted] = useState(false);
  const open = (): void => {
    setWanted(true);
    void load().then(({ openPalette }) => openPalette());
  };
  useHotkeys([['mod + K', open]], []);
  useHotkeys([['/', open]]);
  const palette = isWanted && (
    <Suspense>
      <Palette />
    </Suspense>
  );
  return { palette, open };
}

/** The button that opens it. */
export function PaletteButton({ open }: { readonly open: () => void }): ReactNode {
  return (
    <button type="button" className={styles.search} onClick={open}>
      <Icon name="search" size={14} />
      Search
      <Kbd size="xs">⌘K</Kbd>
    </button>
  );
}
