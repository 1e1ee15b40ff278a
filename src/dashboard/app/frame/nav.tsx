/** The way to every page. */
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { hasPlayground } from '../../has-playground.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { ZoneMenu } from '../ui/region/zone-menu.tsx';
import { Unread } from '../ui/unread.tsx';
import styles from './frame.module.css';

/** A page in the navigation. */
export interface Place {
  readonly to: string;
  readonly name: string;
  readonly icon: IconName;
}

/** The pages in their groups; the first group has no title. */
export const PLACES: readonly { readonly title: string | null; readonly places: readonly Place[] }[] = [
  {
    title: null,
    places: [
      { to: '/', name: 'Overview', icon: 'overview' },
      { to: '/logs', name: 'Logs', icon: 'logs' },
      { to: '/requests', name: 'Requests', icon: 'requests' },
      { to: '/send', name: 'Send', icon: 'send' },
      { to: '/inbox', name: 'Inbox', icon: 'inbox' },
      { to: '/phones', name: 'Sandbox phones', icon: 'phone' },
    ],
  },
  { title: 'Unified API', places: [{ to: '/webhooks', name: 'Webhooks', icon: 'webhooks' }] },
  {
    title: 'Channels',
    places: [
      { to: '/connections', name: 'Connections', icon: 'connections' },
      { to: '/senders', name: 'Senders', icon: 'senders' },
      { to: '/templates', name: 'Templates', icon: 'templates' },
      { to: '/replies', name: 'Replies', icon: 'replies' },
    ],
  },
  {
    title: 'Account',
    places: [
      { to: '/alerts', name: 'Alerts', icon: 'alerts' },
      { to: '/credits', name: 'Credits', icon: 'credits' },
      { to: '/tokens', name: 'Tokens', icon: 'tokens' },
      { to: '/limits', name: 'Limits', icon: 'limits' },
      { to: '/audit', name: 'Audit trail', icon: 'audit' },
      { to: '/account', name: 'Account', icon: 'account' },
    ],
  },
];

/** The words for what is unread, where it is not texts. */
const UNREAD: Readonly<Record<string, { readonly one: string; readonly many: string }>> = {
  '/inbox': { one: 'person wrote', many: 'people wrote' },
};

/** The marks of pages in the navigation, by their paths. */
export interface Marks {
  /** How much is unread. */
  readonly unread: Readonly<Record<string, number>>;
  /** The pages that this gateway has nothing for. */
  readonly absent: readonly string[];
}

/** The list of pages. `onOpen` is told when one is chosen. */
export function Nav({ marks, onOpen }: { readonly marks: Marks; readonly onOpen?: () => void }): ReactNode {
  return (
    <nav aria-label="Pages" className={styles.nav}>
      {PLACES.map(({ title, places }) => (
        <div key={title ?? ''}>
          {title && <p className={styles.group}>{title}</p>}
          {places
            .filter(({ to }) => !marks.absent.includes(to))
            .map(({ to, name, icon }) => (
              <NavLink key={to} to={to} end={to === '/'} className={styles.place ?? ''} onClick={() => onOpen?.()}>
                <Icon name={icon} />
                {name}
                <Unread count={marks.unread[to] ?? 0} {...UNREAD[to]} />
              </NavLink>
            ))}
        </div>
      ))}
      <div className={styles.outside}>
        {hasPlayground() && (
          <a className={styles.place} href="/graphql">
            <Icon name="playground" />
            Playground
          </a>
        )}
        <a className={styles.place} href="/docs">
          <Icon name="book" />
          REST API
        </a>
        <ZoneMenu className={styles.place} />
      </div>
    </nav>
  );
}
