/** The parts of packages without types of their own that the pages use. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface SwaggerUiOptions {
    readonly url: string;
    readonly domNode: Element;
    readonly deepLinking?: boolean;
    readonly displayRequestDuration?: boolean;
    readonly docExpansion?: 'list' | 'full' | 'none';
    readonly persistAuthorization?: boolean;
    readonly tryItOutEnabled?: boolean;
    readonly validatorUrl?: string | null;
  }

  export default function SwaggerUi(options: SwaggerUiOptions): unknown;
}

declare module 'monaco-editor/esm/vs/language/json/json.worker.js?worker' {
  const JsonWorker: new () => Worker;
  export default JsonWorker;
}

declare module 'monaco-editor/esm/vs/editor/editor.worker.js?worker' {
  const EditorWorker: new () => Worker;
  export default EditorWorker;
}

declare module 'monaco-graphql/esm/graphql.worker.js?worker' {
  const GraphqlWorker: new () => Worker;
  export default GraphqlWorker;
}
