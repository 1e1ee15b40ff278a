/** Gives the focus back to what opened a dialog. */
import { useLayoutEffect, useRef, useState } from 'react';

/**
 * Call it in a dialog that is drawn only while it is open: the components give the focus back by themselves only where they are
 * closed, not where they go. Where the opener is gone as well, the focus goes to nothing in particular.
 */
export function useFocusBack(): void {
  const [opener] = useState(focused);
  // A dialog that takes the place of another: what had the focus was in that one, which has given it back by now.
  const before = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    before.current = focused();
    return () => [opener, before.current].find(element => element?.isConnected)?.focus({ preventScroll: true });
  }, [opener]);
}

/** What has the focus; of an item of a menu, which goes when it is chosen, the button of the menu. Null: nothing has. */
function focused(): HTMLElement | null {
  const { activeElement: active } = document;
  const menu = active?.closest('[role="menu"]');
  const element = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : active;
  return element instanceof HTMLElement && element !== document.body ? element : null;
}
