/** `?` shows the keys of all pages. */
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';

const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts.tsx')).Shortcuts }));

let show: (() => void) | null = null;

/** Shows the keys. */
export function openShortcuts(): void {
  show?.();
}

/** The dialog, where it is open; the frame draws it once. */
export function useShortcuts(): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  useEffect(() => {
    show = open;
  }, [open]);
  // Some keyboards have it behind Shift, others have not.
  useHotkeys([
    ['?', open],
    ['shift + ?', open],
  ]);
  return (
    isOpen && (
      <Suspense>
        <Shortcuts close={close} />
      </Suspense>
    )
  );
}
