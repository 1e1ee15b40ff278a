/** The command palette: all pages and commands by name, and the targets of an id, a code, a number or a reference. */
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { RecipientsDocument } from '../../api/operations.generated.ts';
import { useInFront } from '../../ui/dialogs/open-dialog.ts';
import { Icon } from '../../ui/icons.tsx';
import styles from '../frame.module.css';
import { PLACES } from '../nav.tsx';
import { useRights, useViewer } from '../session/session.tsx';
import { endingTargets, nothingWord, targetsOf } from './find-targets.ts';
import { dropKeys, typeKept } from './kept-keys.ts';
import { isCalled, type Target } from './target.ts';
import { useCommands } from './use-commands.ts';

const PAGES: readonly Target[] = PLACES.flatMap(({ title, places }) =>
  places.map(({ to, name, icon }) => ({ label: name, about: title ?? 'Page', icon, go: to })),
);

const [store, spotlight] = createSpotlight();

/** Opens the palette, also one that is not there yet. */
export const openPalette = spotlight.open;

/** The palette. Its shortcuts are those of `usePalette`, so it has none. */
export function Palette({ signOut }: { readonly signOut: () => void }): ReactNode {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const words = query.trim();
  const { may } = useRights();
  const country = useViewer().account?.country ?? null;
  const commands = useCommands(signOut);
  useInFront(useSpotlight(store).opened);
  const ending = useEnding(words);
  // Pages and commands come first: a page's name and Enter mean the page.
  const targets = [
    ...[...PAGES, ...commands].filter(target => isCalled(target, words)),
    ...targetsOf(words, may('NUMBERS') ? { country, languages: navigator.languages } : null),
    // These are answered later, and must not move the first target: Enter opens it.
    ...endingTargets(ending, words),
  ];
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      clearQueryOnClose
      onSpotlightClose={dropKeys}
      title="Search"
      classNames={{ header: styles.hidden ?? '' }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      scrollable
      maxHeight="min(480px, 70vh)"
    >
      <Spotlight.Search
        onFocus={event => typeKept(event.currentTarget)}
        placeholder="A page, or paste an id, a number or a code"
        leftSection={<Icon name="search" />}
        styles={{ input: { textOverflow: 'ellipsis' } }}
      />
      <Spotlight.ActionsList>
        {targets.map(({ label, about, icon, go }) => (
          <Spotlight.Action
            key={about + label}
            className={styles.target ?? ''}
            label={label}
            description={about}
            leftSection={<Icon name={icon} />}
            onClick={() => (typeof go === 'string' ? void navigate(go) : go())}
          />
        ))}
        {targets.length === 0 && <Spotlight.Empty>{nothingWord(words)}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** How long nothing is typed before the gateway is asked, in milliseconds. */
const PAUSE_MS = 200;

/** The numbers that end with the digits that were typed, for who may look for numbers. */
function useEnding(words: string): readonly string[] {
  const { may } = useRights();
  const [endingWith] = useDebouncedValue(words, PAUSE_MS);
  const isEnd = /^\d{4,6}$/.test(words) && words === endingWith;
  const { data, isPlaceholderData } = useAnswer(
    RecipientsDocument,
    { endingWith },
    { enabled: may('NUMBERS') && isEnd },
  );
  return isEnd && !isPlaceholderData ? (data?.recipients ?? []) : [];
}
