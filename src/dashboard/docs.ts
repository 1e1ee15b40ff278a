import SwaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

const root = document.querySelector('#root');
if (root === null) throw new Error('docs.html has no #root');

// Swagger UI turns dark by a class and not by the preference of the system.
const darkPreference = window.matchMedia('(prefers-color-scheme: dark)');
const applyPreference = (): void => {
  document.documentElement.classList.toggle('dark-mode', darkPreference.matches);
};
darkPreference.addEventListener('change', applyPreference);
applyPreference();

SwaggerUi({
  url: '/openapi.json',
  domNode: root,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  persistAuthorization: true,
  tryItOutEnabled: true,
  // Without this, Swagger UI sends the document's address to a validator on another host.
  validatorUrl: null,
});
