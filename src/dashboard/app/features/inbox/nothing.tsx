/** The inbox where nobody wrote. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { DEFAULT_CHANNEL } from '../../api/channels.generated.ts';
import { useAnswer } from '../../api/hooks.ts';
import { SmsSendersDocument } from '../../api/operations.generated.ts';
import { useRights, useViewer } from '../../frame/session/session.tsx';
import { Command } from '../../ui/copy/command.tsx';
import { Empty } from '../../ui/feedback.tsx';

/** Says how messages come, and where the sandbox answers by which command one of its phones writes. */
export function NobodyWrote(): ReactNode {
  const { account } = useViewer();
  const hasPhones = useRights().may('CODES') && account?.isSandboxed === true;
  const { data } = useAnswer(SmsSendersDocument, {}, { enabled: hasPhones });
  const usable = data?.senders.filter(({ channel, approved }) => channel === DEFAULT_CHANNEL && approved) ?? [];
  const sender = (usable.find(({ isDefault }) => isDefault) ?? usable[0])?.name;
  const from = `--account ${account?.accountId} --from +12025550100`;
  return (
    <Empty title="Nobody has written yet">
      <p>What people send to your senders shows here at once, over all channels.</p>
      {!hasPhones && (
        <p>
          They come by <Link to="/connections">connections</Link> whose provider knows the address to bring them to.
        </p>
      )}
      {hasPhones && data && sender === undefined && (
        <p>
          The phones of the sandbox can write too, once the operator has approved one of the{' '}
          <Link to="/senders">senders</Link>.
        </p>
      )}
      {hasPhones && sender !== undefined && (
        <>
          <p>
            The phones of the sandbox can write too: from their threads at <Link to="/phones">Sandbox phones</Link>, or
            by this in the folder of the gateway.
          </p>
          <Command command={`npx heliograph inbox reply ${from} --to ${quoted(sender)} --text 'Yes, please.'`} />
        </>
      )}
    </Empty>
  );
}

/** A word of a shell. */
function quoted(word: string): string {
  return /^[\w+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
