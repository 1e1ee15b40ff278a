/** What opens the command palette. It is loaded when the page has nothing else to do, and keys are kept until it takes them. */
import { Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import styles from '../frame.module.css';
import { MOD_KEY } from '../keys/mod-key.ts';
import { dropKeys, keepKeys } from './kept-keys.ts';

const load = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** Where a browser does not tell when it is idle, in milliseconds. */
const IDLE_AFTER_MS = 1_000;

/** The palette once it was opened, and what opens it: ⌘K or Ctrl-K anywhere, and `/` where nothing is being typed. */
export function usePalette(): { readonly palette: ReactNode; readonly open: () => void } {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    // Where it does not come now, it is asked for when it is opened.
    const loadAhead = (): void => void load().catch(() => undefined);
    if ('requestIdleCallback' in window) requestIdleCallback(loadAhead);
    else setTimeout(loadAhead, IDLE_AFTER_MS);
  }, []);
  const open = (): void => {
    keepKeys();
    setWanted(true);
    load().then(({ openPalette }) => openPalette(), dropKeys);
  };
  useHotkeys([['mod + K', open]], []);
  // Some keyboards have the slash behind Shift.
  useHotkeys([
    ['/', open],
    ['shift + /', open],
  ]);
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
      <Kbd size="xs">{MOD_KEY === '⌘' ? '⌘K' : 'Ctrl K'}</Kbd>
    </button>
  );
}
