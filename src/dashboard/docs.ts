import SwaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import { DOCS_KEY, forgetTokens, keepToTab, tabStorage } from './tab-storage.ts';

keepToTab();

const root = document.querySelector('#root');
if (root === null) throw new Error('docs.html has no #root');

// Swagger UI has a dark mode by class only, so it follows the system's preference here.
const darkPreference = window.matchMedia('(prefers-color-scheme: dark)');
const applyPreference = (): void => {
  document.documentElement.classList.toggle('dark-mode', darkPreference.matches);
};
darkPreference.addEventListener('change', applyPreference);
applyPreference();

/** Swagger UI's own persistence uses localStorage, which outlives the tab. */
const keepsInTab = (): SwaggerUiPlugin => {
  const thenKeep: SwaggerUiWrapper = (act, ui) => payload => {
    const result = act(payload);
    tabStorage.setItem(DOCS_KEY, JSON.stringify(ui.authSelectors.authorized()));
    return result;
  };
  return { statePlugins: { auth: { wrapActions: { authorize: thenKeep, logout: thenKeep } } } };
};

const ui = SwaggerUi({
  url: '/openapi.json',
  domNode: root,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  // By default Swagger UI sends the document's address to a validator on another host.
  validatorUrl: null,
  plugins: [keepsInTab],
  onComplete() {
    const kept = tabStorage.getItem(DOCS_KEY);
    if (kept !== null) ui.authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
  },
});
document.querySelector('#forget')?.addEventListener('click', forgetTokens);
