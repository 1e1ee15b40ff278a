/** Types for packages without their own, as far as the pages use them. */

interface SwaggerUiAuth {
  readonly authActions: { restoreAuthorization(payload: { readonly authorized: unknown }): void };
  readonly authSelectors: { authorized(): unknown };
}

type SwaggerUiWrapper = (act: (payload: unknown) => unknown, ui: SwaggerUiAuth) => (payload: unknown) => unknown;

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

declare module '*.md?html' {
  const html: string;
  export default html;
}
