/** The commands of the palette: each has the name that its page gives it. */
import { useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { chooseZone } from '../../ui/region/region.ts';
import { openShortcuts } from '../keys/use-shortcuts.tsx';
import { chooseAccount } from '../session/acting-account.ts';
import { useRights, useViewer } from '../session/session.tsx';
import type { Target } from './target.ts';

/** The commands of who is signed in. */
export function useCommands(signOut: () => void): readonly Target[] {
  const { setColorScheme } = useMantineColorScheme();
  const { mayChange, isOwner, isOperator } = useRights();
  const { user } = useViewer();
  const client = useQueryClient();
  const offered = (isOffered: boolean, ...targets: Target[]): Target[] => (isOffered ? targets : []);
  return [
    ...offered(
      mayChange,
      { label: 'Send a message', about: 'Send', icon: 'send', go: '/send' },
      { label: 'Send a passcode', about: 'Send', icon: 'send', go: '/send?kind=otp' },
      { label: 'Create token', about: 'Tokens', icon: 'tokens', go: '/tokens?new=1' },
      { label: 'Create endpoint', about: 'Webhooks', icon: 'webhooks', go: '/webhooks/new' },
      { label: 'Create alert rule', about: 'Alerts', icon: 'alerts', go: '/alerts?new=1' },
      { label: 'Add auto-reply', about: 'Replies', icon: 'replies', go: '/replies?new=1' },
      { label: 'Change region', about: 'Account', icon: 'account', go: '/account?act=region' },
    ),
    ...offered(isOwner, { label: 'Invite person', about: 'Account', icon: 'account', go: '/account?act=invite' }),
    ...offered(user?.hasPassword === true, {
      label: 'Change password',
      about: 'Account',
      icon: 'account',
      go: '/account?act=password',
    }),
    { label: 'Dark theme', about: 'Colours', icon: 'moon', go: () => setColorScheme('dark') },
    { label: 'Light theme', about: 'Colours', icon: 'sun', go: () => setColorScheme('light') },
    { label: 'Theme of the system', about: 'Colours', icon: 'sun', go: () => setColorScheme('auto') },
    { label: 'Times in UTC', about: 'Zone', icon: 'clock', go: () => chooseZone('utc') },
    { label: 'Times in your zone', about: 'Zone', icon: 'clock', go: () => chooseZone('local') },
    { label: 'Times in the zone of the account', about: 'Zone', icon: 'clock', go: () => chooseZone('account') },
    { label: 'Errors', about: 'What each code says', icon: 'book', go: '/errors' },
    { label: 'Keyboard shortcuts', about: 'Help', icon: 'book', go: openShortcuts },
    ...offered(isOperator, {
      label: 'Another account',
      about: 'Account',
      icon: 'account',
      go: () => {
        chooseAccount(null);
        void client.resetQueries();
      },
    }),
    { label: 'Sign out', about: 'Account', icon: 'close', go: signOut },
  ];
}
