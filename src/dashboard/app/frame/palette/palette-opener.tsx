/** Opens the command palette. Its code is loaded when the page is idle, and keys are kept until the palette takes them. */
import { Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import styles from '../frame.module.css';
import { MOD_KEY } from '../keys/mod-key.ts';
import { dropKeys, keepKeys } from './kept-keys.ts';

const load = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** The delay in browsers without `requestIdleCallback`, in milliseconds. */
const IDLE_AFTER_MS = 1_000;

/** The palette once it was opened, and the function that opens it. ⌘K or Ctrl-K open it anywhere, `/` where nothing is being typed. */
export function usePalette(signOut: () => void): { readonly palette: ReactNode; readonly open: () => void } {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    // If this load fails, opening the palette loads it again.
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
      <Palette signOut={signOut} />
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
