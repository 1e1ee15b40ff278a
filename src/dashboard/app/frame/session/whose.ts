/** Whose things a page shows. */
import { useRights, useViewer } from './session.tsx';

/** The account that pages are about. */
export function useAccountId(): string {
  return useViewer().account?.accountId ?? '';
}

/** The account to name in a question: an operator has none of its own, and others may name none. */
export function useAskedAccount(): { readonly accountId?: string } {
  const accountId = useAccountId();
  return useRights().isOperator ? { accountId } : {};
}
