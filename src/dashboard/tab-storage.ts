/** Stores tokens and editor state in sessionStorage: they survive a reload, and end with the tab. */

/** The key of the token in the API documentation. */
export const DOCS_KEY = 'authorized';

/** The key of the account that an operator looks at. */
export const ACCOUNT_KEY = 'heliograph:account';

/** An operator who is signed in asks about the account that the dashboard shows. */
export function chosenAccount(): Readonly<Record<string, string>> {
  const accountId = sessionStorage.getItem(ACCOUNT_KEY);
  return accountId === null ? {} : { 'x-account-id': accountId };
}

/** Keys of the playground that hold no token: its looks. */
const HARMLESS = new Set(['graphiql:theme', 'graphiql:visiblePlugin']);

/** The tabs of the playground, with their headers. */
const TABS = 'graphiql:tabState';

/**
 * The parts of the open tab that GraphiQL stores a second time beside its tabs, by their keys. The copies are not stored but read from the
 * tabs: they differ after a change of the headers alone. GraphiQL opened an empty tab then, and a reload lost the query.
 */
const OF_OPEN_TAB: Readonly<Record<string, 'query' | 'variables' | 'headers'>> = {
  'graphiql:query': 'query',
  'graphiql:variables': 'variables',
  'graphiql:headers': 'headers',
};

function ofOpenTab(member: 'query' | 'variables' | 'headers'): string | null {
  const { tabs = [], activeTabIndex = 0 } = JSON.parse(sessionStorage.getItem(TABS) ?? '{}');
  return tabs[activeTabIndex]?.[member] ?? null;
}

let isForgotten = false;

/** A Storage for the playground. */
export const tabStorage = {
  getItem(key: string) {
    const member = OF_OPEN_TAB[key];
    return member === undefined ? sessionStorage.getItem(key) : ofOpenTab(member);
  },
  setItem(key: string, value: string) {
    // GraphiQL writes its state again until the page unloads.
    if (!isForgotten && !(key in OF_OPEN_TAB)) sessionStorage.setItem(key, value);
  },
  removeItem: (key: string) => sessionStorage.removeItem(key),
  clear: () => sessionStorage.clear(),
  get length() {
    return sessionStorage.length;
  },
};

/** Deletes the tokens of both pages from sessionStorage. */
export function forgetTokens(): void {
  const tabs = sessionStorage.getItem(TABS);
  for (const key of Object.keys(sessionStorage))
    if (key === DOCS_KEY || (key.startsWith('graphiql:') && !HARMLESS.has(key))) sessionStorage.removeItem(key);
  // Queries hold no token, so they stay.
  if (tabs !== null) sessionStorage.setItem(TABS, JSON.stringify(JSON.parse(tabs), withoutHeaders));
}

/** Deletes them from memory too, by a reload. */
export function forgetAndReload(): void {
  isForgotten = true;
  forgetTokens();
  location.reload();
}

function withoutHeaders(key: string, value: unknown): unknown {
  return key === 'headers' ? null : value;
}

/** Makes a page use sessionStorage only. Call it before the page renders. */
export function keepToTab(): void {
  // Earlier versions stored tokens in localStorage.
  for (const key of Object.keys(localStorage))
    if (key === DOCS_KEY || key.startsWith('graphiql:')) localStorage.removeItem(key);
  // A page restored from the back/forward cache may hold a token that was deleted since.
  window.addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
}
