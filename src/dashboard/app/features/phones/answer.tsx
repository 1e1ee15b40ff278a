/** Lets a phone write to a sender of the account, as people do. */
import { Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { AnswerAsPhoneDocument } from '../../api/operations.generated.ts';
import { ThreadComposer } from '../../ui/threads/composer.tsx';
import { phoneWord } from '../../ui/words.ts';

/** The form. `senders`: those that it can write to, the usual one first. */
export function AnswerAsPhone({
  phone,
  senders,
}: {
  readonly phone: string;
  readonly senders: readonly string[];
}): ReactNode {
  const [text, setText] = useState('');
  const [chosen, choose] = useState<string | null>(null);
  const answer = useChange(AnswerAsPhoneDocument);
  const to = chosen ?? senders[0];
  // A number may belong to no sender that is known, and such a text cannot be answered.
  if (to === undefined) return null;
  return (
    <ThreadComposer
      label="Answer as this phone"
      text={text}
      change={next => {
        answer.reset();
        setText(next);
      }}
      button="Answer"
      failure={answer.error}
      isBusy={answer.isPending}
      submit={() => answer.mutate({ input: { phone: `+${phone}`, to, text } }, { onSuccess: () => setText('') })}
    >
      {senders.length > 1 ? (
        <Select
          aria-label="To"
          size="xs"
          allowDeselect={false}
          data={senders.map(sender => ({ value: sender, label: `To ${phoneWord(sender)}` }))}
          value={to}
          onChange={choose}
        />
      ) : (
        `To ${phoneWord(to)}. It comes in as what people write does.`
      )}
    </ThreadComposer>
  );
}
