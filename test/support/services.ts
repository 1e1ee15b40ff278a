import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { entities } from '../../mikro-orm.config.ts';
import type { Providers } from '../../src/channels/providers.ts';
import { type SandboxServices, sandbox } from '../../src/channels/sandbox/provider.ts';
import { factsOf, readConfig } from '../../src/config.ts';
import { type AccountGrant, type Actor, type Clock, Ctx, type Services } from '../../src/context.ts';
import { type Database, type Em, openDatabase } from '../../src/db/orm.ts';
import { postgresConnections } from '../../src/db/postgres/postgres.ts';
import { runSql } from '../../src/db/statements/sql.ts';
import type { Channel } from '../../src/kernel/channel.ts';
import { createKeyRing } from '../../src/kernel/crypto/key-ring.ts';
import { type Area, hashToken, newToken, tokenPrefix } from '../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../src/kernel/ids.ts';
import type { Home } from '../../src/kernel/process/home.ts';
import { LazySignal } from '../../src/kernel/process/lazy-signal.ts';
import { createMail, type Mail } from '../../src/mail/mail.ts';
import { Account } from '../../src/modules/accounts/account.entity.ts';
import { loadAccount, loadUsedTokens } from '../../src/modules/accounts/load-account.ts';
import { Sender } from '../../src/modules/accounts/sender.entity.ts';
import { Token } from '../../src/modules/accounts/token.entity.ts';
import { bookAdjustment } from '../../src/modules/billing/book-adjustment.ts';
import { createProviders } from '../../src/modules/connections/live/providers.ts';
import { createTurns } from '../../src/modules/limits/query-in-turn.ts';
import { createSandboxPhones } from '../../src/modules/sandbox/keep-arrivals.ts';
import { openSenderRules } from '../../src/modules/sender-rules/sender-rule-table.ts';
import { openSuppressed } from '../../src/modules/suppressions/suppressed-table.ts';
import { openTemplates } from '../../src/modules/templates/template-table.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { type JobDefinition, type Jobs, openJobs } from '../../src/queue/kit.ts';
import { JOBS } from '../../src/worker/jobs.ts';
import { createDatabase, type TestDatabase } from './databases/database.ts';
import { rememberKeys, TOLD } from './leaks/leak-scan.ts';
import { NO_SESSIONS } from './providers/no-session.ts';

/** The keys of every test process: two of them share their codes, as two processes of one gateway do. */
export const TEST_KEYS = createKeyRing(Buffer.alloc(32, 7), []);
rememberKeys(() => TEST_KEYS);

/** The networks of this machine, where the receivers of tests listen. */
export const LOCAL_NETWORKS = ['127.0.0.0/8', '::1/128'];

const log = TOLD.logger();

/** A clock that stands still until it is set, as `setUpServices` does before each test. The database decides by its own clock, which goes on. */
export interface TestClock extends Clock {
  set(date: Date): void;
}

/** Settings of test services that differ from the usual ones. */
export interface TestServicesOptions {
  /** Whether `jobs.spy` can be asked. */
  readonly spies?: boolean;
  /** Whether the queue keeps itself in order (cron, expiry), as a worker's does. */
  readonly maintain?: boolean;
  /** Other phones than the sandbox's own, which keep arrivals in the database. */
  readonly sandbox?: SandboxServices;
  /** Other providers than those of the registry. */
  readonly providers?: Providers;
  /** Another way to people's mailboxes than none. */
  readonly mail?: Mail;
  /** Another database than one of their own; it belongs to the caller, who drops it. */
  readonly testDatabase?: TestDatabase;
  /** False: the sandbox is off. */
  readonly hasSandbox?: boolean;
}

/** The services of one process on a database of their own. */
export interface TestServices {
  readonly testDatabase: TestDatabase;
  readonly database: Database;
  readonly jobs: Jobs;
  readonly services: Services;
  readonly clock: TestClock;
  /** A fresh context, as an edge would make it for one request of this actor; its answer's headers are in `request.answerHeaders`. */
  ctxFor(actor: Actor, idempotencyKey?: string): Ctx;
  /** Runs one statement. */
  sql<Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Stops the queue, closes the database and drops it. */
  close(): Promise<void>;
}

/** Opens the services of a process on a database that belongs to the caller. Close them in `afterAll`. */
export async function createTestServices(options: TestServicesOptions = {}): Promise<TestServices> {
  const testDatabase = options.testDatabase ?? (await createDatabase());
  const database = await openTestDatabase(testDatabase);
  const jobs = await openTestJobs(testDatabase, options);
  const { hasSandbox = true } = options;
  const phones = options.sandbox ?? createSandboxPhones(database, (): Jobs => jobs);
  const providers = options.providers ?? createProviders(null, hasSandbox ? sandbox.create(phones) : null);
  const outbound = createOutbound({ allowedNetworks: LOCAL_NETWORKS });
  const senderRules = await openSenderRules(database, error => {
    throw error;
  });
  const suppressed = await openSuppressed(database, TEST_KEYS, error => {
    throw error;
  });
  const cloudTemplates = await openTemplates(database, error => {
    throw error;
  });
  const services: Services = {
    database,
    providers,
    sessions: NO_SESSIONS,
    hasSandbox,
    senderRules,
    suppressed,
    cloudTemplates,
    jobs,
    metrics: createMetrics(false),
    traces: null,
    ...createTurns(),
    keys: TEST_KEYS,
    outbound,
    mail: options.mail ?? createMail(null),
    oidc: null,
    home: createTestHome(),
    settings: factsOf(readConfig({ DATA_DIR: tmpdir() })),
    operatorHash: null,
  };
  const clock = createTestClock();
  return {
    testDatabase,
    database,
    jobs,
    services,
    clock,
    ctxFor: (actor, idempotencyKey) => createTestCtx(services, actor, clock, idempotencyKey),
    sql: (text, parameters = []) => runSql(database.sql(), text, parameters),
    async close() {
      await jobs.stop(5_000);
      await outbound.close();
      await senderRules.close();
      await suppressed.close();
      await cloudTemplates.close();
      await database.close();
      TOLD.noteMetrics(await services.metrics.registry.metrics());
      await testDatabase.drop();
    },
  };
}

/** Opens another database object on the same database: a second process, where it is PostgreSQL. */
export function openTestDatabase(testDatabase: TestDatabase): Promise<Database> {
  return openDatabase(
    testDatabase.kind === 'postgres' ? { url: testDatabase.url, poolSize: 10 } : { pglite: testDatabase.pglite },
    entities,
  );
}

/** The queue's connect time-out: beyond what a fake clock is put forward while it connects, or a busy machine takes. */
const QUEUE_CONNECT_MS = 60_000;

/** Opens a queue on the database. An error that the queue meets in the background fails the run. */
export function openTestJobs(
  testDatabase: TestDatabase,
  options: Pick<TestServicesOptions, 'spies' | 'maintain'> & {
    readonly definitions?: readonly JobDefinition<object>[];
  } = {},
): Promise<Jobs> {
  return openJobs({
    engine:
      testDatabase.kind === 'postgres'
        ? postgresConnections({ ...testDatabase, connectTimeoutMs: QUEUE_CONNECT_MS }, 'heliograph-queue')
        : testDatabase,
    definitions: options.definitions ?? JOBS,
    maintain: options.maintain ?? false,
    spies: options.spies ?? false,
    onError: error => {
      throw error;
    },
  });
}

/** A clock that starts at the real time, since ids and partitions go by it. */
export function createTestClock(): TestClock {
  let now = new Date();
  return {
    now: () => now,
    set: date => {
      now = date;
    },
  };
}

/** A home in memory, at an address where nothing listens. */
export function createTestHome(): Home {
  let demo: unknown = null;
  return {
    url: () => 'http://127.0.0.1:4000',
    publicUrl: () => 'https://gateway.example.com',
    readDemo: () => demo,
    writeDemo: content => {
      demo = content;
    },
  };
}

/** A context outside `createTestServices`, for tests that compose the services themselves. Its log is noted for the scan of codes. */
export function createTestCtx(
  services: Services,
  actor: Actor,
  clock: Clock = createTestClock(),
  idempotencyKey: string | null = null,
): Ctx {
  const unending = new LazySignal();
  return new Ctx({
    actor,
    requestId: randomUUID(),
    log: () => log,
    clock,
    signal: () => unending.signal,
    services,
    request: {
      idempotencyKey,
      clientAddress: '127.0.0.1',
      isCrossOrigin: false,
      userAgent: null,
      cookies: null,
      answerHeaders: new Map(),
      gap: { rows: 0 },
      answerCookies: [],
    },
  });
}

/** The same context with a unit of work that is there already, such as that of a transaction. */
export function withEm(ctx: Ctx, em: Em): Ctx {
  return Object.defineProperty(ctx.with({}), 'em', { value: em });
}

/** A sender of a seeded account. */
export interface SenderSeed {
  readonly channel: Channel;
  readonly address: string;
  /** Default true. */
  readonly approved?: boolean;
  readonly isDefault?: boolean;
  readonly templateRequired?: boolean;
}

/** The senders of an account unless told: an approved one of each channel, its default. The cloud number takes templates only. */
export const SENDERS: readonly SenderSeed[] = [
  { channel: 'sms', address: 'ACME', isDefault: true },
  { channel: 'chat_qr', address: '15550000001', isDefault: true },
  { channel: 'chat_cloud', address: '15550000002', isDefault: true },
];

/** An account for a test, with who may act for it. */
export interface TestAccount {
  readonly accountId: string;
  readonly grant: AccountGrant;
  /** The holder of a token of the area. The token is not stored: a feed, which looks for it after a second, needs `holder`. */
  actor(area: Area): Actor;
  /** The holder of a token of the area that is in the database. */
  holder(area: Area): Promise<Actor>;
  /** An operator who acts for this account. */
  readonly operator: Actor;
  /** Makes a token that authenticates, and answers it. */
  token(area: Area): Promise<string>;
}

/** An operator who acts for no account. */
export const OPERATOR: Actor = { kind: 'operator', account: null };

/** Seeds an account with its senders, past the verbs, which have tests of their own. */
export async function makeAccount(
  { database }: Pick<Services, 'database'>,
  seed: {
    readonly name?: string;
    readonly senders?: readonly SenderSeed[];
    readonly unifiedApi?: boolean;
    readonly planExpiresAt?: Date;
    readonly rateLimit?: number | null;
    /** A million unless told. */
    readonly credits?: number;
  } = {},
): Promise<TestAccount> {
  const accountId = newId('acc');
  const now = new Date();
  const em = database.fork();
  em.create(Account, {
    id: accountId,
    name: seed.name ?? 'Acme',
    unifiedApi: seed.unifiedApi ?? true,
    planExpiresAt: seed.planExpiresAt ?? null,
    rateLimit: seed.rateLimit ?? null,
    createdAt: now,
  });
  await em.flush();
  const { credits = 1_000_000 } = seed;
  if (credits !== 0) await bookAdjustment(database.sql(), { accountId, credits, reason: 'seeded' });
  for (const { channel, address, approved = true, isDefault = false, templateRequired = true } of seed.senders ??
    SENDERS) {
    em.create(Sender, {
      id: newId('snd'),
      accountId,
      channel,
      address,
      approvedAt: approved ? now : null,
      isDefault,
      templateRequired,
      createdAt: now,
    });
  }
  await em.flush();
  const grant = await loadAccount(database, accountId);
  if (!grant) throw new Error('the account that was just made is not there');
  return {
    accountId,
    grant,
    actor: area => ({ kind: 'token', tokenId: newId('tok'), area, account: grant }),
    async holder(area) {
      const hash = hashToken(await makeToken(database, accountId, area)).toString('hex');
      const found = (await loadUsedTokens(database.sql(), [hash])).grants.get(hash);
      if (!found) throw new Error('the token that was just made is not alive');
      return { kind: 'token', ...found };
    },
    operator: { kind: 'operator', account: grant },
    token: area => makeToken(database, accountId, area),
  };
}

async function makeToken(database: Database, accountId: string, area: Area): Promise<string> {
  const secret = newToken(area);
  const em = database.fork();
  em.create(Token, {
    id: newId('tok'),
    accountId,
    area,
    hash: hashToken(secret).toString('hex'),
    prefix: tokenPrefix(secret),
    createdAt: new Date(),
  });
  await em.flush();
  return secret;
}

/** A row of a table that names a message, for asserting what is stored. */
export interface StoredMessage {
  readonly status: string;
  readonly channel: string | null;
  readonly attempts: readonly {
    readonly channel: string;
    readonly status: string;
    readonly error_code: string | null;
    readonly credits: number;
    readonly provider_message_id: string | null;
  }[];
}

/** The stored state of a message. Its attempts stand in the order of the route: two of one millisecond have no other order. */
export async function storedMessage(test: Pick<TestServices, 'sql'>, messageId: string): Promise<StoredMessage> {
  const [row] = await test.sql<StoredMessage>(
    `select m.status, m.channel,
       (select coalesce(json_agg(json_build_object('channel', a.channel, 'status', a.status, 'error_code', a.error_code,
          'credits', a.credits, 'provider_message_id', a.provider_message_id) order by array_position(m.channels, a.channel), a.id), '[]'::json)
        from attempts a where a.message_id = m.id) as attempts
     from messages m where m.id = $1`,
    [toUuid(messageId)],
  );
  if (!row) throw new Error('there is no such message');
  return row;
}
