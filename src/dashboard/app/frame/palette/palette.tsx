/** The command palette, loaded when it is opened first: every page by its name, and whatever an id, a number or a reference leads to. */
import { Spotlight, spotlight } from '@mantine/spotlight';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { sendLink } from '../../ui/send-link.ts';
import { phoneWord } from '../../ui/words.ts';
import styles from '../frame.module.css';
import { PLACES } from '../nav.tsx';
import { useRights } from '../session.tsx';

/** Something that can be gone to. */
interface Target {
  readonly label: string;
  readonly about: string;
  readonly icon: IconName;
  readonly to: string;
}

const PAGES: readonly Target[] = PLACES.flatMap(({ title, places }) =>
  places.map(({ to, name, icon }) => ({ label: name, about: title ?? 'Page', icon, to })),
);

/** Opens the palette, also one that is not there yet. */
export const openPalette = spotlight.open;

/** The palette. What opens it hears its keys. */
export function Palette(): ReactNode {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const words = query.trim();
  const pages = PAGES.filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()));
  const { may } = useRights();
  // Who types the name of a page and presses Enter means the page.
  const targets = [...pages, ...targetsOf(words, may('NUMBERS'))];
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      clearQueryOnClose
      title="Search"
      classNames={{ header: styles.hidden ?? '' }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
    >
      <Spotlight.Search
        placeholder="A page, or paste an id, a number or a reference"
        leftSection={<Icon name="search" />}
      />
      <Spotlight.ActionsList>
        {targets.map(({ label, about, icon, to }) => (
          <Spotlight.Action
            key={to + label}
            className={styles.target ?? ''}
            label={label}
            description={about}
            leftSection={<Icon name={icon} />}
            onClick={() => navigate(to)}
          />
        ))}
        {targets.length === 0 && <Spotlight.Empty>{nothingWord(words)}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The pages of things, by the prefix of their ids. */
const PAGES_OF: Readonly<Record<string, (id: string) => Target[]>> = {
  whk: id => [{ label: `Endpoint ${id}`, about: 'Webhooks', icon: 'webhooks', to: `/webhooks/${id}` }],
  dlv: id => [{ label: `Delivery ${id}`, about: 'Webhooks', icon: 'webhooks', to: `/webhooks/deliveries/${id}` }],
  tok: id => [{ label: `Token ${id}`, about: 'Tokens', icon: 'tokens', to: '/tokens' }],
  con: id => [{ label: `Connection ${id}`, about: 'Connections', icon: 'connections', to: '/connections' }],
  usr: id => [{ label: `Person ${id}`, about: 'Account', icon: 'account', to: '/account' }],
};

/** What has no page of its own, by the prefix of its ids: where it is seen. */
const SEEN_IN: Readonly<Record<string, string>> = {
  att: 'An attempt is seen in the timeline of its message: paste the id of that, msg_….',
  evt: 'An event is seen in its deliveries: paste the id of one, dlv_….',
};

const ID = /^([a-z]{3})_[0-9a-f]{32}$/;

function nothingWord(words: string): string {
  const prefix = ID.exec(words)?.[1];
  if (prefix === undefined) return 'Nothing by this name';
  return SEEN_IN[prefix] ?? `No page shows ${prefix}_… ids`;
}

/** Where the words lead by what they look like. A viewer cannot look for a number: to who is one it is a reference. */
export function targetsOf(words: string, withNumbers: boolean): Target[] {
  const logs = (name: string, value: string, label: string): Target => ({
    label,
    about: 'In the log of the last 30 days',
    icon: 'logs',
    to: `/logs?${new URLSearchParams({ [name]: value, span: '30d' })}`,
  });
  const [, prefix] = ID.exec(words) ?? [];
  if (prefix === 'msg') return [logs('messageId', words, `Message ${words}`)];
  if (prefix === 'pin') return [logs('pinId', words, `Passcode ${words}`)];
  // An id is no reference.
  if (prefix) return PAGES_OF[prefix]?.(words) ?? [];
  const digits = words.replaceAll(/[\s().-]/g, '');
  if (withNumbers && /^\+?\d{7,15}$/.test(digits)) {
    const number = digits.replace(/^\+/, '');
    return [
      logs('recipient', `+${number}`, `What went to ${phoneWord(number)}`),
      { label: `Send to ${phoneWord(number)}`, about: 'Send', icon: 'send', to: sendLink({ to: `+${number}` }) },
      { label: `The phone ${phoneWord(number)}`, about: 'Inbox', icon: 'inbox', to: `/inbox/${number}` },
    ];
  }
  return words.length >= 3 && /^[\x21-\x7e]+$/.test(words) ? [logs('reference', words, `Reference ${words}`)] : [];
}
