import './editor-workers.ts';
// Replaces graphiql/style.css, which contains the editor's styles a second time and 260 KB of fonts.
import '@graphiql/react/style.css';
import '@graphiql/react/font/fira-code.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './playground.css';
import { GraphiQL } from 'graphiql';
import { buildSchema } from 'graphql';
import { createRoot } from 'react-dom/client';
import { forgetAndReload, keepToTab, tabStorage } from '../tab-storage.ts';
import { createFetcher } from './fetcher.ts';
import { FollowScheme } from './follow-scheme.tsx';
import { keepTabsPlain } from './plain-tabs.ts';
import { Who } from './who.tsx';

keepToTab();

/** One tab for each main job, in the order of their files' names. */
const EXAMPLES = Object.entries(
  import.meta.glob<string>('./examples/*.graphql', { query: '?raw', import: 'default', eager: true }),
)
  .sort(([a], [b]) => a.localeCompare(b))
  .map(([, query]) => ({ query }));

// The schema is bundled, so that completion and documentation work without a token. A build without the file asks the
// gateway instead.
const [sdl] = Object.values(
  import.meta.glob<string>('../../../schema.graphql', { query: '?raw', import: 'default', eager: true }),
);
const schemaProps = sdl === undefined ? {} : { schema: buildSchema(sdl) };

const root = document.querySelector('#root');
if (root === null) throw new Error('playground.html has no #root');
keepTabsPlain(root);
createRoot(root).render(
  <>
    <header className="bar">
      <h1>Heliograph playground</h1>
      <Who />
      <a href="/dashboard">Dashboard</a>
      <a href="/docs">REST API</a>
      <button type="button" onClick={forgetAndReload}>
        Forget token
      </button>
    </header>
    <GraphiQL
      fetcher={createFetcher('/graphql')}
      {...schemaProps}
      defaultTabs={EXAMPLES}
      defaultEditorToolsVisibility={false}
      storage={tabStorage}
      shouldPersistHeaders
    >
      <FollowScheme />
    </GraphiQL>
  </>,
);
