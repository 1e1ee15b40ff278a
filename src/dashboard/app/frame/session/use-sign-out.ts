/** The way out. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { forgetTokens } from '../../../tab-storage.ts';
import { ask, type Operation } from '../../api/ask.ts';
import { SignOutDocument } from '../../api/operations.generated.ts';
import type { Failure } from '../../ui/failure.ts';
import { chooseAccount } from './acting-account.ts';
import { forgetDrafts } from './drafts.ts';

/** Signs out, here or everywhere, and leaves nothing of who was signed in. */
export function useSignOut(
  operation: Operation<unknown, Record<string, never>> = SignOutDocument,
): UseMutationResult<unknown, Failure, void> {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation<unknown, Failure, void>({
    mutationFn: () => ask(operation, {}),
    // A callback of `mutate` would be lost where the page that calls it was left.
    onSuccess: () => {
      chooseAccount(null);
      forgetDrafts();
      forgetTokens();
      client.clear();
      void navigate('/sign-in');
    },
  });
}
