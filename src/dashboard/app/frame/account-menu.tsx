/** The menu of the account: the signed-in person, the colours, and signing out. */
import { Menu, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Icon } from '../ui/icons.tsx';
import { plainWord } from '../ui/words.ts';
import styles from './frame.module.css';
import { openShortcuts } from './keys/use-shortcuts.tsx';
import { SandboxBadge } from './sandbox-badge.tsx';
import { chooseAccount } from './session/acting-account.ts';
import { useViewer } from './session/session.tsx';

/** The menu behind the name of the account. */
export function AccountMenu({ signOut }: { readonly signOut: () => void }): ReactNode {
  const viewer = useViewer();
  const navigate = useNavigate();
  const client = useQueryClient();
  const who = viewer.user?.email ?? plainWord(viewer.kind);
  return (
    <Menu position="bottom-start" width={208}>
      <Menu.Target>
        <button type="button" className={styles.account}>
          <span>
            <strong>{viewer.account?.name ?? 'All accounts'}</strong>
            <small>
              {viewer.account?.isSandboxed && <SandboxBadge />} {who}
            </small>
          </span>
          <Icon name="down" size={12} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{viewer.role ? `Signed in as ${plainWord(viewer.role)}` : 'Signed in as operator'}</Menu.Label>
        <Menu.Item onClick={() => navigate('/account')}>Account and people</Menu.Item>
        {viewer.kind === 'OPERATOR' && (
          <Menu.Item
            onClick={() => {
              chooseAccount(null);
              void client.resetQueries();
            }}
          >
            Another account
          </Menu.Item>
        )}
        <Menu.Item onClick={openShortcuts}>Keyboard shortcuts</Menu.Item>
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The colour schemes; `auto` follows the machine. */
function SchemeItems(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = [
    ['light', 'Light'],
    ['dark', 'Dark'],
    ['auto', 'Like the system'],
  ] as const;
  return (
    <>
      <Menu.Divider />
      <Menu.Label>Colours</Menu.Label>
      {schemes.map(([scheme, name]) => (
        <Menu.Item
          key={scheme}
          onClick={() => setColorScheme(scheme)}
          rightSection={colorScheme === scheme && <Icon name="check" size={14} />}
        >
          {name}
        </Menu.Item>
      ))}
    </>
  );
}
