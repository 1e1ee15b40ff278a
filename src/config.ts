/** The settings (contract §2), read from the environment only. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './kernel/settings/config-error.ts';
import { findFaultsBetween } from './kernel/settings/faults-between.ts';
import type { OidcSettings } from './kernel/settings/oidc.ts';
import { SETTINGS, type Variables } from './kernel/settings/settings.ts';
import type { SettingsFacts } from './kernel/settings/settings-facts.ts';

/** The validated settings of a process; what each of them means, `SETTINGS` says. Null: not set. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Variables that may begin or end with a blank. */
const PATHS: ReadonlySet<string> = new Set(['DATA_DIR', 'CHAT_QR_DIR', 'TRUSTED_DOCUMENTS']);

/** Reads the settings of this process; blank variables count as unset. @throws ConfigError with every fault, which quotes no secret */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env) {
  const given: Variables = {};
  for (const name of Object.keys(SETTINGS.shape) as (keyof Variables)[]) {
    const text = env[name];
    // Blanks around other values come from env files.
    if (text !== undefined && text.trim() !== '') given[name] = PATHS.has(name) ? text : text.trim();
  }
  const read = SETTINGS.safeParse(given);
  const faults = [
    ...(read.error?.issues ?? []).map(issue => ({ variable: String(issue.path[0]), message: issue.message })),
    ...findFaultsBetween(given),
  ];
  if (!read.success || faults.length > 0) throw new ConfigError(faults);
  const values = read.data;
  const production = values.NODE_ENV === 'production';
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL ?? null,
    /** Null: `databaseUrl` has no pooler. */
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? null,
    /** Null: there is no replica. */
    databaseReplicaUrl: values.DATABASE_REPLICA_URL ?? null,
    /** Limits of the connections to each. */
    databaseLimits: {
      poolSize: values.DATABASE_POOL_SIZE,
      connectTimeoutMs: values.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
    },
    dataDir: values.DATA_DIR,
    chatQrDir: values.CHAT_QR_DIR ?? join(values.DATA_DIR, 'chat-qr'),
    embeddedDurability: values.EMBEDDED_DURABILITY,
    /** Null: generated into `dataDir`. */
    secretKey: values.SECRET_KEY ?? null,
    previousSecretKeys: values.SECRET_KEY_PREVIOUS ?? [],
    /** Null: generated, or closed over HTTP in production. */
    operatorToken: values.OPERATOR_TOKEN ?? null,
    /** Null: nobody is trusted. */
    trustedProxies: values.TRUSTED_PROXIES ?? null,
    webhookAllowedNetworks: values.WEBHOOK_ALLOWED_NETWORKS ?? [],
    corsOrigins: values.CORS_ORIGINS ?? [],
    trustedDocuments: values.TRUSTED_DOCUMENTS ?? null,
    /** Without a slash at its end. Null: the address that is listened on. */
    publicUrl: values.PUBLIC_URL ?? null,
    /** Null: no mail is sent. */
    mail: values.SMTP_URL && values.MAIL_FROM ? { server: values.SMTP_URL, from: values.MAIL_FROM } : null,
    oidc: oidcOf(values),
    doors: doorsIn(values),
    playground: values.PLAYGROUND === undefined ? !production : values.PLAYGROUND === 'on',
    sandbox: values.SANDBOX === undefined ? !production : values.SANDBOX === 'on',
    textRetentionDays: values.TEXT_RETENTION_DAYS,
    retentionDays: values.RETENTION_DAYS,
    requestLogDays: values.REQUEST_LOG_DAYS,
    maxConcurrentRequests: values.MAX_CONCURRENT_REQUESTS,
    streamsPerAccount: values.STREAMS_PER_ACCOUNT,
    connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
    connectionsPerAccount: values.CONNECTIONS_PER_ACCOUNT,
    role: values.ROLE,
    processes: values.PROCESSES === 'auto' ? countFor(values.DATABASE_URL) : values.PROCESSES,
    production,
    logLevel: values.LOG_LEVEL,
    traces: tracesOf(values),
  };
}

/** One process less than there are cores, for the database is often beside them. */
function countFor(databaseUrl: string | undefined): number {
  return databaseUrl === undefined ? 1 : Math.max(1, availableParallelism() - 1);
}

/** The settings as `doctor` may show them, without secrets. */
export function factsOf(config: Config): SettingsFacts {
  return {
    production: config.production,
    role: config.role,
    host: config.host,
    isEmbedded: config.databaseUrl === null,
    givesSecretKey: config.secretKey !== null,
    givesOperatorToken: config.operatorToken !== null,
    trustsProxies: config.trustedProxies !== null,
    allowedNetworks: config.webhookAllowedNetworks.length,
    playground: config.playground,
    sandbox: config.sandbox,
    logLevel: config.logLevel,
    dataDir: config.dataDir,
    chatQrDir: config.chatQrDir,
    publicUrl: config.publicUrl,
    textRetentionDays: config.textRetentionDays,
    retentionDays: config.retentionDays,
    requestLogDays: config.requestLogDays,
    isTraced: config.traces !== null,
  };
}

/** The PostgreSQL of a gateway without an embedded database, as `openServer` takes it. */
export function databaseTarget({ databaseUrl, databaseDirectUrl, databaseReplicaUrl, databaseLimits }: Config) {
  return { url: databaseUrl ?? '', directUrl: databaseDirectUrl, replicaUrl: databaseReplicaUrl, ...databaseLimits };
}

/** The settings of traces; null: there are none. */
function tracesOf(values: ReturnType<typeof SETTINGS.parse>) {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  } = values;
  return endpoint === undefined ? null : { endpoint, sampler, ratio };
}

/** The doors that are open. */
function doorsIn(values: ReturnType<typeof SETTINGS.parse>) {
  const { DOORS: open = [], SUPABASE_HOOK_SECRET: secret, SUPABASE_HOOK_TOKEN: token } = values;
  const isWhole = open.includes('supabase') && secret !== undefined && token !== undefined;
  return { open, supabase: isWhole ? { secret, token, text: values.SUPABASE_HOOK_TEXT } : null };
}

/** The provider that people sign in by; null: it is not set, or not whole, which is a fault of its own. */
function oidcOf(values: ReturnType<typeof SETTINGS.parse>): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  const { OIDC_NAME: name, OIDC_SCOPE: scope, OIDC_ROLE_CLAIM: roleClaim } = values;
  const { OIDC_ROLES: roles, OIDC_ACCOUNT: accountId } = values;
  if (!issuer || !clientId || !clientSecret || !roles || !accountId) return null;
  return { issuer, clientId, clientSecret, name, scope, roleClaim, roles, accountId };
}
