import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

// The same three workers as graphiql/setup-workers/vite, which writes a line to the console for each. They are files of
// our own origin, so the pages need no `blob:` in their Content-Security-Policy.
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker(_workerId: string, label: string): Worker {
      if (label === 'json') return new JsonWorker();
      if (label === 'graphql') return new GraphqlWorker();
      return new EditorWorker();
    },
  },
});
