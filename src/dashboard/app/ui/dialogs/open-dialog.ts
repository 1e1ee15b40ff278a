/** The dialogs that are open: the one in front takes the keys, and gives the focus back when it goes. */
import { useLayoutEffect, useRef, useState } from 'react';

/** The open dialogs, the one in front last. */
const open: object[] = [];

/** The one in front when the newest key or click came: a key that closes it is still heard by those behind it. */
let front: object | undefined;

/** Comes before the components hear of the event. A menu that has the focus is in front of all dialogs. */
function look({ target }: Event): void {
  front = target instanceof Element && target.closest('[role="menu"]') ? undefined : open.at(-1);
}
for (const kind of ['keydown', 'click']) addEventListener(kind, look, { capture: true });

/** Counts what is drawn in front of dialogs while `isOpen`. Answers whether it was the one in front at the newest key or click. */
export function useInFront(isOpen = true): () => boolean {
  const [self] = useState(() => ({}));
  useLayoutEffect(() => {
    if (!isOpen) return;
    open.push(self);
    return () => void open.splice(open.indexOf(self), 1);
  }, [self, isOpen]);
  return () => front === self;
}

/**
 * Gives the focus back to the opener of a dialog, and answers whether the dialog was in front at the newest key or click. Call it in a dialog
 * that is drawn only while it is open: Mantine gives the focus back after closing, not after unmounting. If the opener is gone as well, the
 * page gets the focus.
 */
export function useOpenDialog(): () => boolean {
  const [opener] = useState(focused);
  // A dialog that takes the place of another: what had the focus was in that one, which has given it back by now.
  const before = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    before.current = focused();
    return () =>
      [opener, before.current, document.getElementById('main')]
        .find(element => element?.isConnected)
        ?.focus({ preventScroll: true });
  }, [opener]);
  return useInFront();
}

/** The element that has the focus; null: there is none. For an item of a menu the button of the menu, since the item goes when it is chosen. */
function focused(): HTMLElement | null {
  const { activeElement: active } = document;
  const menu = active?.closest('[role="menu"]');
  const element = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : active;
  return element instanceof HTMLElement && element !== document.body ? element : null;
}
