/**
 * The settings (contract §2), read from the environment and from nowhere else. One schema holds every variable with its
 * description, so the README's table is made from what is really read.
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { TrustedProxies } from './kernel/address.ts';
import { parseNetwork } from './kernel/network.ts';
import { decodeSecretKey, SECRET_KEY_BYTES } from './kernel/secrets.ts';

/** Which parts of the gateway a process runs. */
export type Role = 'all' | 'api' | 'worker';

/** The levels of the process log, as pino names them. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The settings of one process, checked. */
export interface Config {
  /** 0 to 65535; 0 lets the system choose a free port. */
  readonly port: number;
  readonly host: string;
  /** `postgres://…` or `postgresql://…`; null means the embedded database under `dataDir`. */
  readonly databaseUrl: string | null;
  /** Absolute path. */
  readonly dataDir: string;
  /** At least 32 bytes; null means the one that is generated into `dataDir`. */
  readonly secretKey: Buffer | null;
  /** Former values of the secret key, as they are listed; each at least 32 bytes. */
  readonly previousSecretKeys: readonly Buffer[];
  /** At least 32 visible characters; null means generated, or closed over HTTP in production. */
  readonly operatorToken: string | null;
  /** Null means nobody is believed. */
  readonly trustedProxies: TrustedProxies | null;
  /** CIDRs; a single address is given as /32 or /128. */
  readonly webhookAllowedNetworks: readonly string[];
  readonly role: Role;
  /** `NODE_ENV` is `production`. */
  readonly production: boolean;
  readonly logLevel: LogLevel;
}

/** One setting that cannot be used; `message` names the variable, what is wrong with it, and the mend. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** Some settings cannot be used. `faults` holds all of them; `message` has one line each, ready to be printed. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(fault => fault.message).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** One row of the README's table of settings; `default` and `meaning` are Markdown. */
export interface SettingRow {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

const ROLES = ['all', 'api', 'worker'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const OPERATOR_TOKEN_LENGTH_MIN = 32;
/** More proxies in a row than anybody has: such a number is a mistake that would let callers choose their address. */
const HOPS_MAX = 32;
const MAKE_SECRET_KEY = 'make one with: openssl rand -base64 32';

/** Shows a value that is not secret: quoted, so that blanks and control characters are seen, and of bounded length. */
const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** What stands between the commas of a list. */
const entriesOf = (text: string): string[] => text.split(',').flatMap(entry => entry.trim() || []);

/** A variable that `read` turns into what the gateway uses; a text that `read` hands to `fault` becomes its fault. */
const variable = <T>(read: (text: string, fault: (message: string) => never) => T) =>
  z.string().transform((text, context) => {
    try {
      return read(text, message => {
        throw new Unusable(message);
      });
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

/** Carries a fault out of a reader, so that readers need not thread a result type through their loops. */
class Unusable extends Error {}

/** A variable that takes one of a few words. */
const oneOf = <const T extends readonly string[]>(name: string, words: T) =>
  z.enum(words, { error: issue => `${name} is ${quote(String(issue.input))}; set it to ${words.join(', ')}.` });

const SETTINGS = z.object({
  PORT: variable((text, fault) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (!(port <= 65_535)) fault(`PORT is ${quote(text)}; set it to a whole number from 0 to 65535, such as 4000.`);
    return port;
  })
    .prefault('4000')
    .meta({ default: '`4000`', description: 'The port to listen on; `0` takes a free one' }),
  HOST: variable((text, fault) => {
    if (isIP(text) === 0 && !/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?\.?$/i.test(text)) {
      fault(`HOST is ${quote(text)}; set it to an address or a host name alone, such as 127.0.0.1 or 0.0.0.0.`);
    }
    return text;
  })
    .prefault('127.0.0.1')
    .meta({ default: '`127.0.0.1`', description: 'The address to listen on; `0.0.0.0` is every IPv4 one' }),
  DATABASE_URL: variable(readDatabaseUrl).optional().meta({
    default: 'unset',
    description:
      'A PostgreSQL (15 or newer) to use, `postgres://user:password@host:5432/database`; unset: the embedded one (PGlite), whose files are under `DATA_DIR`',
  }),
  DATA_DIR: variable((text, fault) => {
    if (text.includes('\0')) fault('DATA_DIR holds a NUL character; set it to the path of a directory.');
    return resolve(text);
  })
    .prefault('.data')
    .meta({
      default: '`.data`',
      description: 'The directory of the embedded database, the generated secrets and the demo credentials',
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
    if (!/^[\x21-\x7e]*$/.test(text) || text.length < OPERATOR_TOKEN_LENGTH_MIN) {
      fault(
        `OPERATOR_TOKEN must be at least ${OPERATOR_TOKEN_LENGTH_MIN} visible ASCII characters; make one with: openssl rand -hex 32`,
      );
    }
    return text;
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
  WEBHOOK_ALLOWED_NETWORKS: variable((text, fault) => readNetworks('WEBHOOK_ALLOWED_NETWORKS', text, fault))
    .optional()
    .meta({
      default: 'none',
      description:
        'CIDRs, separated by commas, that webhook deliveries may reach though they are not public (for local work)',
    }),
  ROLE: oneOf('ROLE', ROLES).prefault('all').meta({
    default: '`all`',
    description:
      '`all`, `api` or `worker`; the latter two need `DATABASE_URL`, since one process owns the embedded database',
  }),
  NODE_ENV: z.string().optional().meta({
    default: 'unset',
    description: '`production` makes `SECRET_KEY` required and generates no operator token',
  }),
  LOG_LEVEL: oneOf('LOG_LEVEL', LOG_LEVELS)
    .prefault('info')
    .meta({
      default: '`info`',
      description: `What the process log holds: ${LOG_LEVELS.map(l => `\`${l}\``).join(', ')}`,
    }),
});

type Variables = Partial<Record<keyof typeof SETTINGS.shape, string>>;

/**
 * The settings of this process.
 *
 * @param env the environment; empty and blank variables count as unset
 * @throws ConfigError with every fault at once; no message repeats the value of a secret
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given: Variables = {};
  for (const name of Object.keys(SETTINGS.shape) as (keyof Variables)[]) {
    const text = env[name];
    // A path may begin or end with a blank; everywhere else blanks are left over from an env file.
    if (text !== undefined && text.trim() !== '') given[name] = name === 'DATA_DIR' ? text : text.trim();
  }
  const read = SETTINGS.safeParse(given);
  const faults = [
    ...(read.error?.issues ?? []).map(issue => ({ variable: String(issue.path[0]), message: issue.message })),
    ...findFaultsBetween(given),
  ];
  if (!read.success || faults.length > 0) throw new ConfigError(faults);
  const values = read.data;
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL ?? null,
    dataDir: values.DATA_DIR,
    secretKey: values.SECRET_KEY ?? null,
    previousSecretKeys: values.SECRET_KEY_PREVIOUS ?? [],
    operatorToken: values.OPERATOR_TOKEN ?? null,
    trustedProxies: values.TRUSTED_PROXIES ?? null,
    webhookAllowedNetworks: values.WEBHOOK_ALLOWED_NETWORKS ?? [],
    role: values.ROLE,
    production: values.NODE_ENV === 'production',
    logLevel: values.LOG_LEVEL,
  };
}

/** Every setting with its default and meaning, in the order of the README's table. */
export function settingsTable(): SettingRow[] {
  return Object.entries(SETTINGS.shape).map(([name, schema]) => {
    const meta = schema.meta();
    return { name, default: String(meta?.default ?? ''), meaning: meta?.description ?? '' };
  });
}

/** The rules that need two variables. Apart from the schema, because zod skips such rules when one variable is faulty. */
function findFaultsBetween(given: Variables): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (given.NODE_ENV === 'production' && given.SECRET_KEY === undefined) {
    faults.push({
      variable: 'SECRET_KEY',
      message: `SECRET_KEY is not set, and NODE_ENV=production needs it; ${MAKE_SECRET_KEY}`,
    });
  }
  if ((given.ROLE === 'api' || given.ROLE === 'worker') && given.DATABASE_URL === undefined) {
    faults.push({
      variable: 'ROLE',
      message: `ROLE is "${given.ROLE}", but the embedded database belongs to one process; set DATABASE_URL, or set ROLE to all.`,
    });
  }
  return faults;
}

/** The URL unchanged. Its password is never repeated, so no message holds any part of it. */
function readDatabaseUrl(text: string, fault: (message: string) => never): string {
  const mend = 'it must look like postgres://user:password@host:5432/database.';
  const url = URL.parse(text);
  if (url === null) fault(`DATABASE_URL is not a URL (percent-encode special characters of the password); ${mend}`);
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    fault(`DATABASE_URL does not begin with postgres:// or postgresql://; ${mend}`);
  }
  if (url.hostname === '') fault(`DATABASE_URL names no host; ${mend}`);
  // A bare / or # in the password ends the host early: the user's name would be taken for the host.
  if (url.hash !== '' || `${url.pathname}${url.search}`.includes('@')) {
    fault(`DATABASE_URL has a bare #, /, ? or @ in its password (percent-encode it); ${mend}`);
  }
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part);
  } catch {
    fault(`DATABASE_URL holds a % that is not percent-encoding (write %25); ${mend}`);
  }
  return text;
}

/** The keys of a list. A fault names an entry by its place, since a key is never repeated. */
function readFormerKeys(text: string, fault: (message: string) => never): Buffer[] {
  const mend = 'set it to former values of SECRET_KEY, separated by commas.';
  return entriesOf(text).map((entry, index) => {
    const key = decodeSecretKey(entry);
    return typeof key === 'string' ? fault(`SECRET_KEY_PREVIOUS (entry ${index + 1}) ${key}; ${mend}`) : key;
  });
}

/** A hop count or networks; 0 hops is nobody. */
function readTrustedProxies(text: string, fault: (message: string) => never): TrustedProxies | null {
  if (!/^[+-]?\d+$/.test(text)) {
    const networks = readNetworks('TRUSTED_PROXIES', text, fault);
    return networks.length === 0 ? null : { networks };
  }
  const hops = Number(text);
  if (!(hops >= 0 && hops <= HOPS_MAX)) {
    fault(`TRUSTED_PROXIES is ${quote(text)}; set it to a number of proxies from 0 to ${HOPS_MAX}, or to CIDRs.`);
  }
  return hops === 0 ? null : { hops };
}

/** The CIDRs of a list; a single address becomes the network of that address alone. */
function readNetworks(name: string, text: string, fault: (message: string) => never): string[] {
  const mend = 'set it to addresses and CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8.';
  return entriesOf(text).map(entry => parseNetwork(entry) ?? fault(`${name} holds ${quote(entry)}; ${mend}`));
}
