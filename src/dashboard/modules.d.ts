/** The parts of packages without types of their own that the pages use. */

/** The part of Swagger UI that knows tokens. */
interface SwaggerUiAuth {
  readonly authActions: { restoreAuthorization(payload: { readonly authorized: unknown }): void };
  readonly authSelectors: { authorized(): unknown };
}

/** Stands around an action of Swagger UI. */
type SwaggerUiWrapper = (act: (payload: unknown) => unknown, ui: SwaggerUiAuth) => (payload: unknown) => unknown;

/** Changes how Swagger UI acts. */
interface SwaggerUiPlugin {
  readonly statePlugins: { readonly auth: { readonly wrapActions: Readonly<Record<string, SwaggerUiWrapper>> } };
}

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface SwaggerUiOptions {
    readonly url: string;
    readonly domNode: Element;
    readonly deepLinking?: boolean;
    readonly displayRequestDuration?: boolean;
    readonly docExpansion?: 'list' | 'full' | 'none';
    readonly tryItOutEnabled?: boolean;
    readonly validatorUrl?: string | null;
    readonly plugins?: readonly (() => SwaggerUiPlugin)[];
    readonly onComplete?: () => void;
  }

  export default function SwaggerUi(options: SwaggerUiOptions): SwaggerUiAuth;
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
