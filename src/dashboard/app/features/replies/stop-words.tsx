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
          about: 'Who writes one gets no message of your account any more.',
        },
        {
          name: 'Words that start again',
          value: ['START, UNSTOP, YES', ...startWords].join(', '),
          about: 'They take back what such a word stopped, and never what you stopped.',
        },
        { name: 'Confirms a stop', value: textOf(stopText), about: 'The last text to who stops, once.' },
        { name: 'Answers HELP and INFO', value: textOf(helpText) },
        { name: 'Passcodes after a stop', value: stopsOtps ? 'are not sent' : 'are sent, since people ask for them' },
      ]}
    />
  );
}

function textOf(text: string | null): ReactNode {
  return text ?? <span className="quiet">nothing</span>;
}
