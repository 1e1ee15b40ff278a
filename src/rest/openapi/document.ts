/** The OpenAPI 3.1 document of the facade, generated from the mount table and the zod schemas that check its requests. */
import type { Route } from '../mount.ts';
import { HEADERS } from './answers.ts';
import type { JsonObject } from './json-schema.ts';
import { operationOf } from './operation.ts';
import { SECURITY_SCHEMES } from './security.ts';
import { webhooksOf } from './webhooks.ts';

/** The version of the documented interface (contract §2). */
const INTERFACE_VERSION = '1.0.0';

/** The parts of the interface, in the order in which a reader meets them. */
const TAGS = [
  {
    name: 'Messages',
    description: 'A text to one recipient over `chat_qr`, `chat_cloud` and `sms`: one after another, or all at once.',
  },
  {
    name: 'OTP',
    description:
      'One-time passcodes over every channel. The gateway makes the code, keeps only a hash of it, and says whether a code is right. Call these paths from your server: never from an app, and never verify in a browser.',
  },
  {
    name: 'SMS',
    description: 'Texts and passcodes by SMS alone. Each of the two has an area, and so a token, of its own.',
  },
  { name: 'Logs', description: 'Every attempt over a channel, and what became of each passcode, newest first.' },
  { name: 'Plants', description: 'A sample endpoint to try a token with. Its failures have a body of their own.' },
  {
    name: 'Webhooks',
    description:
      'What the gateway posts to your endpoints, at least once and signed. Endpoints are made in the dashboard (Unified API, then Webhooks) or by GraphQL with a token of the area `management`.',
  },
];

/** The document. `version` is the gateway's. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const schemas: JsonObject = {};
  const paths: Record<string, JsonObject> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  const webhooks = webhooksOf(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heliograph',
      version: INTERFACE_VERSION,
      'x-heliograph-version': version,
      summary: 'Messages and passcodes over chat and SMS, and the log of every attempt',
      description:
        'The REST facade. Every path runs a GraphQL operation of the same schema; `/graphql` has the playground.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: TAGS,
    paths,
    webhooks,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas },
  };
}
