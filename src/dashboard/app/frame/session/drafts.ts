/** The drafts of the page Send, in the storage of the tab. */

const DRAFT_KEYS = 'heliograph:draft:';

/** The key in the storage of the tab of the draft that a person has for an account. */
export function draftKey(accountId: string | undefined, userId: string | undefined): string {
  return `${DRAFT_KEYS}${accountId}:${userId}`;
}

/** Forgets all drafts of this tab: their numbers and texts are not for who signs in next. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT_KEYS)) sessionStorage.removeItem(key);
}
