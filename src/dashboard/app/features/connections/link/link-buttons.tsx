/** The buttons of a number that can be linked, and what they open. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { type ConnectionFragment, UnlinkConnectionDocument } from '../../../api/operations.generated.ts';
import { Confirm } from '../../../ui/dialogs/confirm.tsx';
import { useUrlState } from '../../../ui/url-state.ts';
import { LinkNumber } from './link-number.tsx';
import { LINKED_PROVIDER } from './session-line.tsx';

/** The button that links, or the one that unlinks. */
export function LinkButtons({ connection }: { readonly connection: ConnectionFragment }): ReactNode {
  const { connectionId, provider, session, name } = connection;
  const [params, change] = useUrlState();
  const unlink = useChange(UnlinkConnectionDocument);
  if (provider !== LINKED_PROVIDER) return null;
  const act = params.get('act');
  const close = (): void => change({ act: null });
  return (
    <>
      {session?.state === 'LINKED' ? (
        <Button variant="default" onClick={() => change({ act: 'unlink' })}>
          Unlink
        </Button>
      ) : (
        <Button onClick={() => change({ act: 'link' })}>Link the phone</Button>
      )}
      {act === 'link' && <LinkNumber connection={connection} close={close} />}
      {act === 'unlink' && (
        <Confirm
          title={`Unlink ${name}`}
          button="Unlink"
          failure={unlink.error}
          isBusy={unlink.isPending}
          close={close}
          confirm={() => unlink.mutate({ connectionId }, { onSuccess: close })}
        >
          Its phone is told, and nothing is sent by this number until it is linked again.
        </Confirm>
      )}
    </>
  );
}
