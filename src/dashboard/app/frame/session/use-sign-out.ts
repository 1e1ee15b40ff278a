/** The way out. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { ask } from '../../api/ask.ts';
import { SignOutDocument, type SignOutEverywhereDocument } from '../../api/operations.generated.ts';
import type { Failure } from '../../ui/failure.ts';
import { chooseAccount } from './acting-account.ts';
import { forgetDrafts } from './drafts.ts';

/** Signs out, here or everywhere, and leaves nothing of who was signed in. */
export function useSignOut(
  operation: typeof SignOutDocument | typeof SignOutEverywhereDocument = SignOutDocument,
): UseMutationResult<unknown, Failure, void> {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation<unknown, Failure, void>({
    mutationFn: () => ask<unknown, object>(operation, {}),
    // Not told to `mutate`: what offers it is gone by then.
    onSuccess: () => {
      chooseAccount(null);
      forgetDrafts();
      client.clear();
      void navigate('/sign-in');
    },
  });
}
