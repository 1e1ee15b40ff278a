import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

// As graphiql/setup-workers/vite, without its console output. Workers from our own origin need no `blob:` in the
// Content-Security-Policy.
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker(_workerId: string, label: string): Worker {
      if (label === 'json') return new JsonWorker();
      if (label === 'graphql') return new GraphqlWorker();
      return new EditorWorker();
    },
  },
});
