/** The way out. */
import { type UseMutationResult, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { ask, type Operation } from '../../api/ask.ts';
import { keyOf } from '../../api/hooks.ts';
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
    mutationKey: keyOf(operation),
    mutationFn: () => ask(operation, {}),
    // A callback of `mutate` would be lost: the button that calls it is gone by then.
    onSuccess: () => {
      chooseAccount(null);
      forgetDrafts();
      client.clear();
      void navigate('/sign-in');
    },
  });
}

/** Why the newest sign-out of this browser failed; null: it did not. The menu or the palette that began it is gone by then. */
export function useSignOutFailure(): Failure | null {
  const failures = useMutationState({
    filters: { mutationKey: keyOf(SignOutDocument) },
    select: ({ state }) => state.error as Failure | null,
  });
  return failures.at(-1) ?? null;
}
