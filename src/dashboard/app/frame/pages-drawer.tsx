/** The way to every page on a phone, loaded when it is opened first. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFocusBack } from '../ui/dialogs/focus-back.ts';
import { AccountMenu } from './account-menu.tsx';
import { Nav } from './nav.tsx';

/** The drawer. `unread`: how many texts of the inbox are. */
export function PagesDrawer({ close, unread }: { readonly close: () => void; readonly unread: number }): ReactNode {
  useFocusBack();
  return (
    <Drawer opened onClose={close} title="Heliograph" size={260} padding="sm">
      <AccountMenu />
      <Nav unread={unread} onOpen={close} />
    </Drawer>
  );
}
