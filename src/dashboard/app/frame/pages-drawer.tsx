/** The way to every page on a phone, loaded when it is opened first. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenDialog } from '../ui/dialogs/open-dialog.ts';
import { AccountMenu } from './account-menu.tsx';
import { Nav } from './nav.tsx';

/** The drawer. `unread`: how many texts of the inbox are. */
export function PagesDrawer({ close, unread }: { readonly close: () => void; readonly unread: number }): ReactNode {
  useOpenDialog();
  return (
    <Drawer opened onClose={close} title="Heliograph" size={260} padding="sm">
      <AccountMenu />
      <Nav unread={unread} onOpen={close} />
    </Drawer>
  );
}
