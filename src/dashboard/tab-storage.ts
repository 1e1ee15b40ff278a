/**
 * What the pages keep, tokens above all: in the storage of the tab, so that a reload has it and nothing else does. A tab that is closed
 * takes it along.
 */

/** Where the documentation keeps the token that was typed in. */
export const DOCS_KEY = 'authorized';

/** What the playground keeps and no token is in: what was asked, and how the page looks. */
const HARMLESS = new Set(['graphiql:query', 'graphiql:variables', 'graphiql:theme', 'graphiql:visiblePlugin']);

let isForgotten = false;

/** The storage of the tab, as the playground takes it. */
export const tabStorage = {
  getItem: (key: string) => sessionStorage.getItem(key),
  setItem(key: string, value: string) {
    // The page writes what it holds until it is gone.
    if (!isForgotten) sessionStorage.setItem(key, value);
  },
  removeItem: (key: string) => sessionStorage.removeItem(key),
  clear: () => sessionStorage.clear(),
  get length() {
    return sessionStorage.length;
  },
};

/** Forgets the tokens of both pages, in the storage of the tab and, by loading the page anew, in its memory. */
export function forgetTokens(): void {
  isForgotten = true;
  for (const key of Object.keys(sessionStorage)) if (!HARMLESS.has(key)) sessionStorage.removeItem(key);
  location.reload();
}

/** Makes sure that a page has what the storage of its tab has, and nothing beside it. Call it before the page shows. */
export function keepToTab(): void {
  // Earlier versions kept tokens for good.
  for (const key of Object.keys(localStorage))
    if (key === DOCS_KEY || key.startsWith('graphiql:')) localStorage.removeItem(key);
  // A page that the browser brings back as it was may hold a token that was forgotten since.
  window.addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
}
