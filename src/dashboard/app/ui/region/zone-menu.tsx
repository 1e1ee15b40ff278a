/** The button that names the zone of times, with a menu to choose another. */
import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';
import { zoneWord } from '../times.tsx';
import { chooseZone, useRegion, ZONE_CHOICES, type ZoneChoice, zoneChoice, zoneName } from './region.ts';

const NAMES: Readonly<Record<ZoneChoice, string>> = { local: 'Your time', utc: 'UTC', account: 'Time of the account' };

/** The button, which looks as `className` says, and its menu. */
export function ZoneMenu({ className = '' }: { readonly className?: string | undefined }): ReactNode {
  useRegion();
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        <button type="button" className={className} title={zoneName()}>
          <Icon name="clock" />
          Times in {zoneWord()}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Show times in</Menu.Label>
        {ZONE_CHOICES.map(one => (
          <Menu.Item
            key={one}
            onClick={() => chooseZone(one)}
            rightSection={zoneChoice() === one && <Icon name="check" size={14} />}
          >
            {NAMES[one]}
            {one !== 'utc' && <small className="quiet"> {zoneName(one)}</small>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
