/** The way to every page on a phone, loaded when it is opened first. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenDialog } from '../ui/dialogs/open-dialog.ts';
import { AccountMenu } from './account-menu.tsx';
import { type Marks, Nav } from './nav.tsx';

/** The drawer. `marks`: what the navigation says of pages. */
export function PagesDrawer({
  close,
  marks,
  signOut,
}: {
  readonly close: () => void;
  readonly marks: Marks;
  readonly signOut: () => void;
}): ReactNode {
  useOpenDialog();
  return (
    <Drawer opened onClose={close} title="Heliograph" size={260} padding="sm">
      <AccountMenu
        signOut={() => {
          close();
          signOut();
        }}
      />
      <Nav marks={marks} onOpen={close} />
    </Drawer>
  );
}
