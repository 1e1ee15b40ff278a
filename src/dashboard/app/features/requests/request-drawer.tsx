/** One request: all that is kept of it, and where to go on. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { RequestRowFragment } from '../../api/operations.generated.ts';
import { ShownId } from '../../ui/copy/copy.tsx';
import { useOpenDialog } from '../../ui/dialogs/open-dialog.ts';
import { type Fact, Facts } from '../../ui/facts/facts.tsx';
import { duration, Time } from '../../ui/times.tsx';
import { counted, plainWord } from '../../ui/words.ts';
import { Outcome } from './outcome.tsx';

/** The drawer beside the list. */
export function RequestDrawer({
  request,
  close,
}: {
  readonly request: RequestRowFragment;
  readonly close: () => void;
}): ReactNode {
  const isInFront = useOpenDialog();
  return (
    <Drawer opened onClose={() => isInFront() && close()} position="right" size={560} title="Request">
      <Facts facts={factsOf(request)} />
    </Drawer>
  );
}

/** The code, which leads to what to do; what GraphQL itself calls a fault has no entry there. */
function Code({ code }: { readonly code: string }): ReactNode {
  if (/^(graphql|persisted_query)_/.test(code)) return <code>{code}</code>;
  return (
    <Link to={`/errors#${code}`}>
      <code>{code}</code>
    </Link>
  );
}

function factsOf(request: RequestRowFragment): Fact[] {
  const { method, path, operation, code, meaning, field, tokenId, actor, clientAddress, leftOut } = request;
  return [
    { name: 'Answer', value: <Outcome request={request} /> },
    ...(code
      ? [
          {
            name: 'Why',
            value: (
              <>
                {meaning} <Code code={code} />
              </>
            ),
          },
        ]
      : []),
    ...(field ? [{ name: 'Field at fault', value: <code>{field}</code> }] : []),
    {
      name: 'Asked for',
      value: (
        <code>
          {method} {path}
        </code>
      ),
    },
    ...(operation ? [{ name: 'Operation', value: <code>{operation}</code> }] : []),
    {
      name: 'Asked by',
      value: tokenId ? (
        <>
          <ShownId id={tokenId} label="Copy the token id" /> <Link to="/tokens">Tokens</Link>
        </>
      ) : (
        plainWord(actor)
      ),
    },
    { name: 'From', value: clientAddress ?? 'not shown' },
    { name: 'Answered', value: <Time at={request.createdAt} /> },
    { name: 'Took', value: duration(request.durationMs) },
    {
      name: 'Request id',
      value: <ShownId id={request.requestId} label="Copy the request id" />,
      about: 'The header X-Request-Id of the answer: name it when you report a problem.',
    },
    ...(leftOut > 0
      ? [
          {
            name: 'Left out',
            value: counted(leftOut, 'request'),
            about: 'They came in the minute after this one, too many to be kept.',
          },
        ]
      : []),
  ];
}
