/** Stores tokens and editor state in sessionStorage: they survive a reload, and end with the tab. */

/** The key of the token in the API documentation. */
export const DOCS_KEY = 'authorized';

/** Keys of the playground that hold no token: the query and the looks. */
const HARMLESS = new Set(['graphiql:query', 'graphiql:variables', 'graphiql:theme', 'graphiql:visiblePlugin']);

let isForgotten = false;

/** A Storage for the playground. */
export const tabStorage = {
  getItem: (key: string) => sessionStorage.getItem(key),
  setItem(key: string, value: string) {
    // GraphiQL writes its state again until the page unloads.
    if (!isForgotten) sessionStorage.setItem(key, value);
  },
  removeItem: (key: string) => sessionStorage.removeItem(key),
  clear: () => sessionStorage.clear(),
  get length() {
    return sessionStorage.length;
  },
};

/** Deletes the tokens of both pages from sessionStorage, and from memory by a reload. */
export function forgetTokens(): void {
  isForgotten = true;
  for (const key of Object.keys(sessionStorage)) if (!HARMLESS.has(key)) sessionStorage.removeItem(key);
  location.reload();
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
