/** Every variable of the environment with its rule, its default, and its description for docs/operating.md. */
import { z } from 'zod';
import { decodeSecretKey, OPERATOR_TOKEN_LENGTH_MIN, operatorTokenFault, SECRET_KEY_BYTES } from '../crypto/secrets.ts';
import { readDoors, readHookSecret, readHookText, readHookToken } from './doors.ts';
import { readIssuer, readOidcAccount, readOidcRoles, readScope } from './oidc.ts';
import {
  oneOf,
  readCollector,
  readDatabaseUrl,
  readFormerKeys,
  readHost,
  readNetworks,
  readOrigins,
  readPath,
  readProcesses,
  readPublicUrl,
  readRatio,
  readTrustedProxies,
  variable,
  wholeNumber,
} from './setting.ts';
import { readMailbox, readSmtpUrl } from './smtp-url.ts';

/** Log levels of pino. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One row of the table of settings; `default` and `meaning` are Markdown. */
interface SettingRow {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

const SWITCH = ['on', 'off'] as const;
const DURABILITIES = ['full', 'relaxed'] as const;
const ROLES = ['all', 'api', 'worker'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The samplers of OpenTelemetry's specification that need no other package. */
const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

/** A name that `OTEL_TRACES_SAMPLER` takes. */
export type SamplerName = (typeof SAMPLERS)[number];

/** How a secret key is made, as the end of a fault. */
export const MAKE_SECRET_KEY = 'make one with: openssl rand -base64 32';

/** The table, in the order in which it is shown. */
export const SETTINGS = z.object({
  PORT: wholeNumber('PORT', { min: 0, max: 65_535, preset: 4000 }, 'The port to listen on; `0` takes a free one'),
  HOST: variable(readHost)
    .prefault('127.0.0.1')
    .meta({ default: '`127.0.0.1`', description: 'The address to listen on; `0.0.0.0` is every IPv4 one' }),
  DATABASE_URL: variable(readDatabaseUrl('DATABASE_URL')).optional().meta({
    default: 'unset',
    description:
      'A PostgreSQL (15 or newer) to use, `postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/ca.pem`, as libpq takes it; unset: the embedded one (PGlite), whose files are under `DATA_DIR`',
  }),
  DATABASE_DIRECT_URL: variable(readDatabaseUrl('DATABASE_DIRECT_URL')).optional().meta({
    default: 'unset',
    description:
      'The same database without a pooler, where `DATABASE_URL` leads to one such as [PgBouncer in transaction mode](#behind-pgbouncer): for `LISTEN`, two connections of each process, and for migrations; unset: `DATABASE_URL` serves for all',
  }),
  DATABASE_REPLICA_URL: variable(readDatabaseUrl('DATABASE_REPLICA_URL')).optional().meta({
    default: 'unset',
    description:
      'A [streaming replica](database.md#a-read-replica) of the same database, for older pages of the log, figures, audit trail and request log; nothing that decides reads it',
  }),
  DATABASE_POOL_SIZE: wholeNumber(
    'DATABASE_POOL_SIZE',
    { min: 2, max: 1_000, preset: 20 },
    'How many connections to PostgreSQL a process has at most; its queue has 5 more, and one is for what processes tell each other',
  ),
  DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(
    'DATABASE_CONNECT_TIMEOUT_MS',
    { min: 0, max: 600_000, preset: 5_000 },
    'How long each server may take to open a connection; `connect_timeout` of `DATABASE_URL` (seconds) goes first; `0`: without end',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(
    'DATABASE_STATEMENT_TIMEOUT_MS',
    { min: 0, max: 86_400_000, preset: 60_000 },
    'How long a statement may run before PostgreSQL ends it; `options=-c statement_timeout=…` of `DATABASE_URL` goes first; `0`: the server bounds none. The gateway itself ends those of requests after 8 s, of jobs after 65 s, of commands and whole-table checks after 15 min; a migration may take a day',
  ),
  DATA_DIR: variable(readPath('DATA_DIR', 'directory')).prefault('.data').meta({
    default: '`.data`',
    description: 'The directory of the embedded database, the generated secrets and the demo credentials',
  }),
  CHAT_QR_DIR: variable(readPath('CHAT_QR_DIR', 'directory')).optional().meta({
    default: 'the folder `chat-qr` in `DATA_DIR`',
    description:
      'The folder with the library of [QR-linked chats](providers/chat-qr.md), which the operator installs: its licence is not ours',
  }),
  EMBEDDED_DURABILITY: oneOf('EMBEDDED_DURABILITY', DURABILITIES).prefault('full').meta({
    default: '`full`',
    description:
      'The embedded database: `full` answers when what was accepted is on the disk; `relaxed` sooner, and the loss of power (not of the process) may lose or damage it',
  }),
  SECRET_KEY: variable((text, fault) => {
    const key = decodeSecretKey(text);
    return typeof key === 'string' ? fault(`SECRET_KEY ${key}; ${MAKE_SECRET_KEY}`) : key;
  })
    .optional()
    .meta({
      default: 'generated into `DATA_DIR` (mode 0600)',
      description: `At least ${SECRET_KEY_BYTES} random bytes in base64; every other key is derived from it. With \`NODE_ENV=production\` it must be given`,
    }),
  SECRET_KEY_PREVIOUS: variable(readFormerKeys).optional().meta({
    default: 'none',
    description: 'Former values of `SECRET_KEY`, separated by commas, while what was made with them lives',
  }),
  OPERATOR_TOKEN: variable((text, fault) => {
    const wrong = operatorTokenFault(text);
    return wrong === null ? text : fault(`OPERATOR_TOKEN ${wrong}`);
  })
    .optional()
    .meta({
      default: 'generated into `DATA_DIR` (mode 0600)',
      description: `Opens the operator's fields, at least ${OPERATOR_TOKEN_LENGTH_MIN} characters; unset with \`NODE_ENV=production\`: those fields are closed over HTTP`,
    }),
  TRUSTED_PROXIES: variable(readTrustedProxies).optional().meta({
    default: 'none',
    description:
      'Whose `X-Forwarded-For` is believed: how many proxies stand in front (`1`), or their addresses and CIDRs, separated by commas',
  }),
  WEBHOOK_ALLOWED_NETWORKS: variable(readNetworks('WEBHOOK_ALLOWED_NETWORKS')).optional().meta({
    default: 'none',
    description:
      'CIDRs, separated by commas, that webhook deliveries may reach though they are not public (for local work)',
  }),
  CORS_ORIGINS: variable(readOrigins).optional().meta({
    default: 'none',
    description:
      'Origins, separated by commas, whose pages may call the API from a browser (`https://app.example.com`); never passcodes',
  }),
  TRUSTED_DOCUMENTS: variable(readPath('TRUSTED_DOCUMENTS', 'JSON file')).optional().meta({
    default: 'unset',
    description:
      'A JSON file `{"<SHA-256 in hex>":"<document>"}` of the only GraphQL documents that are run; unset: every document is',
  }),
  PUBLIC_URL: variable(readPublicUrl).optional().meta({
    default: 'the address it listens on, `http://HOST:PORT`',
    description:
      'Where people and providers reach this gateway (`https://gateway.example.com`): links of invitations and the addresses of receipts begin with it, and with `https` the cookie of the dashboard is for HTTPS alone',
  }),
  SMTP_URL: variable(readSmtpUrl).optional().meta({
    default: 'unset',
    description:
      'The server that [mails](#mail) are handed to, `smtp://user:password@mail.example.com:587`, or `smtps:` for TLS from the start; unset: no mail is sent',
  }),
  MAIL_FROM: variable(readMailbox).optional().meta({
    default: 'unset',
    description: 'Whom mails come from, `Heliograph <alerts@example.com>`; needed with `SMTP_URL`',
  }),
  OIDC_ISSUER: variable(readIssuer).optional().meta({
    default: 'unset',
    description:
      'The OIDC provider that people may [sign in by](dashboard.md#sign-in-by-oidc), as it calls itself (`https://login.example.com`)',
  }),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .meta({ default: 'unset', description: 'What the provider knows this gateway by' }),
  OIDC_CLIENT_SECRET: z.string().optional().meta({ default: 'unset', description: 'The secret of that client' }),
  OIDC_NAME: z
    .string()
    .prefault('single sign-on')
    .meta({ default: '`single sign-on`', description: 'What the button says: *Sign in with …*' }),
  OIDC_SCOPE: variable(readScope)
    .prefault('openid email profile')
    .meta({ default: '`openid email profile`', description: 'What is asked of the provider, separated by blanks' }),
  OIDC_ROLE_CLAIM: z.string().prefault('roles').meta({
    default: '`roles`',
    description: 'The claim that holds the roles, or the path to it (`realm_access.roles`)',
  }),
  OIDC_ROLES: variable(readOidcRoles).optional().meta({
    default: 'unset',
    description:
      'The role here by each value of that claim, separated by commas (`admins=owner,helpdesk=support`); who has none of them is refused',
  }),
  OIDC_ACCOUNT: variable(readOidcAccount)
    .optional()
    .meta({ default: 'unset', description: 'The account that these people sign in to, `acc_…`' }),
  DOORS: variable(readDoors).optional().meta({
    default: 'none',
    description:
      'The [doors](coming-from.md) that are open, separated by commas: `twilio`, `infobip`, `supabase`; the paths of the others are 404',
  }),
  SUPABASE_HOOK_SECRET: variable(readHookSecret).optional().meta({
    default: 'unset',
    description: 'The secret of the send-SMS hook as Supabase shows it, `v1,whsec_…`; needed with the door `supabase`',
  }),
  SUPABASE_HOOK_TOKEN: variable(readHookToken).optional().meta({
    default: 'unset',
    description: 'The token by which the hook sends, of the area `otp` or `unified`; needed with the door `supabase`',
  }),
  SUPABASE_HOOK_TEXT: variable(readHookText)
    .prefault('Your verification code is {{code}}.')
    .meta({ default: '`Your verification code is {{code}}.`', description: 'The text that the hook sends' }),
  PLAYGROUND: oneOf('PLAYGROUND', SWITCH).optional().meta({
    default: 'on; off with `NODE_ENV=production`',
    description:
      'Whether `/graphql` is a playground in a browser, and introspection is answered to tokens: `on` or `off`',
  }),
  SANDBOX: oneOf('SANDBOX', SWITCH).optional().meta({
    default: 'on; off with `NODE_ENV=production`',
    description:
      'Whether the sandbox answers where no provider is connected: `on` or `off`. Off, such a send fails with `no_route`, and `sandboxMessages` is closed',
  }),
  RETENTION_DAYS: wholeNumber(
    'RETENTION_DAYS',
    { min: 31, max: 3_650, preset: 365 },
    'After how many days messages, the log, events and deliveries are dropped, a month at a time; [what is kept](#what-is-kept)',
  ),
  TEXT_RETENTION_DAYS: wholeNumber(
    'TEXT_RETENTION_DAYS',
    { min: 1, max: 3_650, preset: 30 },
    'After how many days texts are blanked, and with them what providers said and what endpoints answered; [what is kept](#what-is-kept)',
  ),
  REQUEST_LOG_DAYS: wholeNumber(
    'REQUEST_LOG_DAYS',
    { min: 1, max: 365, preset: 7 },
    'How many days [refused requests](#the-request-log) are kept',
  ),
  MAX_CONCURRENT_REQUESTS: wholeNumber(
    'MAX_CONCURRENT_REQUESTS',
    { min: 1, max: 100_000, preset: 64 },
    'How many requests a process works on at once; a burst beyond waits for its turn, a flood is answered `503 overloaded`',
  ),
  STREAMS_PER_ACCOUNT: wholeNumber(
    'STREAMS_PER_ACCOUNT',
    { min: 1, max: 2_000, preset: 50 },
    'How many streams of events (subscriptions) an account may follow at once at a process; one more is answered `429 rate_limited`. A visible tab of the dashboard takes two, `logs --follow` and `webhooks listen` one each; those of an operator are not counted',
  ),
  CONNECTIONS_PER_ADDRESS: wholeNumber(
    'CONNECTIONS_PER_ADDRESS',
    { min: 1, max: 10_000, preset: 500 },
    'How many connections an address (of IPv6 a /64) may have at once, and its network (/24, of IPv6 a /48) four times as many; others are closed. This machine has no such bound, nor have the proxies of `TRUSTED_PROXIES`; where that is a number, nobody has',
  ),
  CONNECTIONS_PER_ACCOUNT: wholeNumber(
    'CONNECTIONS_PER_ACCOUNT',
    { min: 1, max: 10_000, preset: 1_000 },
    'How many connections an account may have at once, over all of its tokens and people, each of them that of the account that used it last; a request on one more is answered `429 rate_limited`, and it is closed. Those of this machine and of proxies are not counted, as above',
  ),
  PROCESSES: variable(readProcesses).prefault('1').meta({
    default: '`1`',
    description:
      'How many processes serve the port; `auto` is one less than the machine has cores, and one with the embedded database, which belongs to one process. [More](#all-cores-of-a-machine)',
  }),
  ROLE: oneOf('ROLE', ROLES).prefault('all').meta({
    default: '`all`',
    description:
      '`all`, `api` or `worker`; the latter two need `DATABASE_URL`, since one process owns the embedded database',
  }),
  NODE_ENV: z.string().optional().meta({
    default: 'unset',
    description:
      '`production` makes `SECRET_KEY` required, generates no operator token, and puts the playground and the sandbox off',
  }),
  LOG_LEVEL: oneOf('LOG_LEVEL', LOG_LEVELS)
    .prefault('info')
    .meta({
      default: '`info`',
      description: `What the process log holds: ${LOG_LEVELS.map(l => `\`${l}\``).join(', ')}`,
    }),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(readCollector).optional().meta({
    default: 'unset',
    description:
      'The collector of [traces](monitoring.md#traces), by OTLP over HTTP (`http://127.0.0.1:4318`); unset: there are none',
  }),
  OTEL_TRACES_SAMPLER: oneOf('OTEL_TRACES_SAMPLER', SAMPLERS)
    .prefault('parentbased_always_on')
    .meta({
      default: '`parentbased_always_on`',
      description: `Which traces are kept: ${SAMPLERS.map(name => `\`${name}\``).join(', ')}`,
    }),
  OTEL_TRACES_SAMPLER_ARG: variable(readRatio).prefault('1').meta({
    default: '`1`',
    description: 'The part of the traces that a sampler with `traceidratio` keeps, from `0` to `1`',
  }),
});

/** Variables as they are given, by name. */
export type Variables = Partial<Record<keyof typeof SETTINGS.shape, string>>;

/** Every setting with its default and meaning, in the order of the table. */
export function settingsTable(): SettingRow[] {
  return Object.entries(SETTINGS.shape).map(([name, schema]) => {
    const meta = schema.meta();
    return { name, default: String(meta?.default ?? ''), meaning: meta?.description ?? '' };
  });
}
