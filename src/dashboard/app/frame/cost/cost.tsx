/** How long a text is as SMS, what it costs, and the characters that make it so. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import type { PreviewFragment } from '../../api/operations.generated.ts';
import { counted } from '../../ui/words.ts';
import styles from './cost.module.css';

type Costly = PreviewFragment['costly'][number];

/** The line under the text. `replace` puts the text as it was rewritten. */
export function Cost({
  text,
  preview,
  id,
  replace,
}: {
  readonly text: string;
  /** Null: not known. */
  readonly preview: PreviewFragment | null;
  /** For who is told of it with the text. */
  readonly id: string;
  readonly replace: (text: string) => void;
}): ReactNode {
  const isSms = preview?.legs.some(({ channel }) => CHANNEL_FACTS[channel].text === 'sms') ?? false;
  const costly = isSms ? (preview?.costly ?? []) : [];
  return (
    <div className={styles.cost}>
      <p id={id} className="quiet numbers">
        {counted([...text].length, 'character')}
        {preview &&
          isSms &&
          ` · ${counted(preview.segments, 'segment')} of SMS · ${counted(preview.credits, 'credit')}`}
        {preview && !isSms && ' · chat costs no credits'}
      </p>
      {costly[0]?.cost === 'UCS2' && <WideCharacters costly={costly} text={text} replace={replace} />}
      {costly[0]?.cost === 'DOUBLE' && (
        <p className="quiet">
          {costly.map(({ character }) => (
            <code key={character}>{character} </code>
          ))}
          {costly.length === 1 ? 'takes' : 'take'} the place of two characters.
        </p>
      )}
    </div>
  );
}

/** Characters that are not in the alphabet of SMS: one of them is enough. */
function WideCharacters({
  costly,
  text,
  replace,
}: {
  readonly costly: readonly Costly[];
  readonly text: string;
  readonly replace: (text: string) => void;
}): ReactNode {
  const replaceable = costly.filter(({ replacement }) => replacement !== null);
  return (
    <div className={styles.wide}>
      <p>
        {costly.length === 1 ? 'This character leaves' : 'These characters leave'} room for 70 characters in an SMS
        instead of 160:
      </p>
      <ul>
        {costly.map(costs => (
          <li key={costs.codePoint}>
            <span>
              <code className={styles.character}>{costs.character}</code>{' '}
              <span className="quiet">
                {costs.codePoint}
                {costs.count > 1 && ` × ${costs.count}`}
              </span>
            </span>
            <Button variant="default" size="compact-xs" onClick={() => replace(replaced(text, [costs]))}>
              {mendOf(costs)}
            </Button>
          </li>
        ))}
      </ul>
      {replaceable.length > 1 && (
        <Button variant="default" size="compact-xs" onClick={() => replace(replaced(text, replaceable))}>
          Replace what can be replaced
        </Button>
      )}
    </div>
  );
}

function mendOf({ replacement }: Costly): ReactNode {
  if (replacement === null || replacement === '') return 'Remove';
  if (replacement.trim() === '') return `Replace with a ${replacement === ' ' ? 'space' : 'new line'}`;
  return (
    <>
      Replace with&nbsp;<code>{replacement}</code>
    </>
  );
}

/** The text without some characters: each as its replacement, or gone. Letters with an accent of their own are composed first. */
function replaced(text: string, costly: readonly Costly[]): string {
  const composed = text.normalize('NFC');
  return costly.reduce((rest, { character, replacement }) => rest.replaceAll(character, replacement ?? ''), composed);
}
