/** Revokes a token after saying what stops. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { RevokeTokenDocument, type TokenFragment } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';
import { Time } from '../../ui/times.tsx';
import { AREAS } from './areas.ts';

/** The question. */
export function RevokeToken({
  token,
  close,
}: {
  readonly token: TokenFragment;
  readonly close: () => void;
}): ReactNode {
  const revoke = useChange(RevokeTokenDocument);
  return (
    <Confirm
      title={`Revoke ${token.name ?? `${token.prefix}…`}`}
      button="Revoke token"
      failure={revoke.error}
      isBusy={revoke.isPending}
      close={close}
      confirm={() => revoke.mutate({ tokenId: token.tokenId }, { onSuccess: close })}
    >
      {AREAS[token.area].stops} It takes effect everywhere within a second, and cannot be undone.{' '}
      {token.lastUsedAt ? (
        <>
          It was last used <Time at={token.lastUsedAt} />
          {token.lastUsedFrom && ` from ${token.lastUsedFrom}`}.
        </>
      ) : (
        'It was never used.'
      )}
    </Confirm>
  );
}
