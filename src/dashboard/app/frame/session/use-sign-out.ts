/** The way out. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/hooks.ts';
import { SignOutDocument } from '../../api/operations.generated.ts';
import { chooseAccount } from './acting-account.ts';
import { forgetDrafts } from './drafts.ts';

/** Signs out, and leaves nothing of who was signed in. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  const client = useQueryClient();
  const signOut = useChange(SignOutDocument);
  return () =>
    signOut.mutate(
      {},
      {
        onSuccess: () => {
          chooseAccount(null);
          forgetDrafts();
          client.clear();
          void navigate('/sign-in');
        },
      },
    );
}
