/** The words that stop, start and help, and what answers them. */
import type { ReactNode } from 'react';
import type { RepliesQuery } from '../../api/operations.generated.ts';
import { Facts } from '../../ui/facts/facts.tsx';

/** The settings of stops, as the page has them. */
export type StopSettings = RepliesQuery['optOutSettings'];

/** The list. */
export function StopWords({
  settings: { stopWords, startWords, stopText, helpText, stopsOtps },
}: {
  readonly settings: StopSettings;
}): ReactNode {
  return (
    <Facts
      facts={[
        {
          name: 'Words that stop',
          value: ['STOP and its like', ...stopWords].join(', '),
          about: 'Whoever writes one gets no more messages from your account.',
        },
        {
          name: 'Words that start again',
          value: ['START, UNSTOP, YES', ...startWords].join(', '),
          about: 'They undo a stop by the person, never one by you.',
        },
        { name: 'Confirms a stop', value: textOf(stopText), about: 'Sent once, as the last text to the person.' },
        { name: 'Answers HELP and INFO', value: textOf(helpText) },
        { name: 'Passcodes after a stop', value: stopsOtps ? 'are not sent' : 'are sent, since people ask for them' },
      ]}
    />
  );
}

function textOf(text: string | null): ReactNode {
  return text === null ? (
    <span className="quiet">nothing</span>
  ) : (
    <span style={{ unicodeBidi: 'plaintext' }}>{text}</span>
  );
}
