/** The API documentation: reads `/openapi.json` of the gateway that serves it. */
import { createRoot } from 'react-dom/client';
import { keepToTab } from '../tab-storage.ts';
import type { OpenApi } from './document.ts';
import './docs.css';
import { Page } from './page.tsx';
import { applyScheme } from './scheme.tsx';

keepToTab();
applyScheme();

const element = document.querySelector('#root');
if (element === null) throw new Error('docs.html has no #root');
const root = createRoot(element);

try {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  const api: OpenApi = await response.json();
  root.render(<Page api={api} />);
} catch (error) {
  root.render(
    <main className="broken">
      <h1>The description did not come</h1>
      <p>
        /openapi.json could not be read: {error instanceof Error ? error.message : String(error)}. Look whether the
        gateway runs, then <a href="/docs">load the page again</a>.
      </p>
    </main>,
  );
}
