/** The composition root: the only file that knows and connects all rooms. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { GraphQLSchema } from 'graphql';
import type { Providers } from './channels/providers.ts';
import { sandbox } from './channels/sandbox/provider.ts';
import { type Config, databaseTarget, factsOf } from './config.ts';
import type { Actor, Clock, Ctx, Services } from './context.ts';
import { createAnnouncement } from './db/data-dir/announcement.ts';
import { DEMO_FILE } from './db/data-dir/data-dir.ts';
import { lockDataDir } from './db/data-dir/data-dir-lock.ts';
import { prepareSecrets } from './db/data-dir/prepare-secrets.ts';
import { readPrivateJson, writePrivateJson } from './db/data-dir/private-file.ts';
import { watchRoom } from './db/embedded/embedded.ts';
import { closeFeeds } from './db/feeds/feed.ts';
import { migrate } from './db/migrate.ts';
import { PATIENCE_MS, patiently } from './db/postgres/bounded-client.ts';
import { queueConnections } from './db/postgres/postgres.ts';
import { blameServer } from './db/unusable.ts';
import { buildSchema } from './graphql/schema.ts';
import { nameOperation } from './graphql/server/operation-name.ts';
import { createGraphqlHandler } from './graphql/server/server.ts';
import { createKeyRing } from './kernel/crypto/key-ring.ts';
import { Closers } from './kernel/process/closers.ts';
import { gatewayTime } from './kernel/process/gateway-time.ts';
import { USER_AGENT, VERSION } from './kernel/process/version.ts';
import { createMail } from './mail/mail.ts';
import { ACCOUNT_CHANNEL, type Authenticator, createAuthenticator } from './modules/accounts/authenticate.ts';
import { resealFactors } from './modules/accounts/second-factor/spend-code.ts';
import { operatorHashOf } from './modules/accounts/sign-in/load-session.ts';
import { ChatSessions } from './modules/chat-sessions/chat-sessions.ts';
import { openHealth } from './modules/connections/health/health-table.ts';
import { type Connections, openConnections } from './modules/connections/live/open-connections.ts';
import { receiveInbound } from './modules/inbound/receive-inbound.ts';
import { claimDatabase } from './modules/keys/claim-database.ts';
import { createTurns } from './modules/limits/query-in-turn.ts';
import { receiveReports } from './modules/receipts/receive-reports.ts';
import { takeReports } from './modules/receipts/take-reports.ts';
import { RequestLog } from './modules/requests/request-log.ts';
import { createSandboxPhones } from './modules/sandbox/keep-arrivals.ts';
import { openSenderRules } from './modules/sender-rules/sender-rule-table.ts';
import { openSuppressed } from './modules/suppressions/suppressed-table.ts';
import { openTemplates } from './modules/templates/template-table.ts';
import { createMetrics } from './observability/metrics.ts';
import { loadTraces } from './observability/traces/load-traces.ts';
import { type DatabaseOptions, openDatabaseOf } from './open-database.ts';
import { createOidc } from './outbound/oidc.ts';
import { createOutbound } from './outbound/outbound.ts';
import { type Jobs, openJobs } from './queue/kit.ts';
import { doorsOf } from './rest/doors/doors.ts';
import { createHttp } from './rest/http.ts';
import { openListener } from './rest/overload/open-listener.ts';
import { routes } from './rest/routes.ts';
import { holdUntilReady } from './rest/server/hold-until-ready.ts';
import { type Connection, IN_PROCESS, urlOf } from './rest/server/listen.ts';
import { whoIsSignedIn } from './rest/server/page-session.ts';
import { contextMaker, holderOf, type MakeCtx } from './rest/server/request-context.ts';
import { JOBS } from './worker/jobs.ts';
import { startWorker } from './worker/run.ts';

/** How long a stopping process waits for requests and jobs. */
const DRAIN_MS = 27_000;

/** The actor of the gateway's own work, such as jobs. */
const ITSELF: Actor = { kind: 'operator', account: null };

const pagesDirectory = fileURLToPath(new URL('../dist/pages', import.meta.url));

/** Options of tests and the bench. */
export interface AppOptions extends DatabaseOptions {
  readonly clock?: Clock;
  /** Whether a spy can await jobs. */
  readonly spies?: boolean;
  /** Replace the providers of the registry. */
  readonly providers?: Providers;
  /** Opens even if the database belongs to another secret key, to give that key up. Do not start such a gateway. */
  readonly anyKey?: boolean;
}

/** An open gateway: its schema can be used in process, and it can be started. */
export interface App {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly authenticator: Authenticator;
  /** Refused requests, which are stored a moment later. */
  readonly requestLog: RequestLog;
  /** A context for an operation in process. */
  makeCtx(actor: Actor, requestId: string, request?: Request): Ctx;
  /** Answers a request as the server does. Without a connection it comes from this machine. */
  fetch(request: Request, connection?: Connection): Response | Promise<Response>;
  /** Listens, announces the address and starts the worker; `prepare` runs before the first answer. @throws StartError for a taken port */
  start(prepare?: () => Promise<void>): Promise<{ readonly url: string }>;
  /** Finishes requests in flight, and closes everything. @param how.leaves others serve the port: no caller is to notice */
  stop(how?: { readonly leaves: boolean }): Promise<void>;
}

/** Opens a gateway: data directory, migrated database, queue, providers, schema. @throws StartError in one sentence */
export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const closers = new Closers(error => options.log.error({ err: error }, 'a part did not close'));
  try {
    return await assemble(config, options, closers);
  } catch (error) {
    await closers.close();
    throw config.databaseUrl === null ? error : blameServer(error);
  }
}

async function assemble(config: Config, options: AppOptions, closers: Closers): Promise<App> {
  const { log, clock = { now: gatewayTime } } = options;
  const address = { url: urlOf(config) };
  const { operatorToken, secretKey } = prepareSecrets(config);
  const lock = config.databaseUrl === null ? lockDataDir(config.dataDir) : null;
  closers.add(() => lock?.release());
  const announcement = createAnnouncement(config.dataDir, lock !== null);
  const keys = createKeyRing(secretKey.key, config.previousSecretKeys);
  let opened: Services | null = null;
  const openedServices = (): Services => {
    if (!opened) throw new Error('the services are not open yet');
    return opened;
  };
  const { trustedProxies, publicUrl } = config;
  const makeCtx = contextMaker({ clock, log, trustedProxies, publicUrl, services: openedServices });
  const parts = { address, keys, makeCtx, operatorToken, secretKey };
  const { services, connections, sessions } = await openServices(config, options, parts, closers);
  opened = services;
  const { database, jobs, metrics, traces } = services;
  const authenticator = await openAuthenticator(services, operatorToken, closers);
  const requestLog = new RequestLog({ database, metrics, log });
  closers.add(() => requestLog.close());
  const schema = buildSchema();
  const port = { isDraining: false, leave: async (): Promise<void> => undefined };
  const http = createHttp({
    schema,
    routes,
    doors: doorsOf(config.doors),
    requestLog,
    trustedProxies,
    nameOperation,
    graphql: createGraphqlHandler(schema, log, config, traces),
    authenticate: holderOf(authenticator, config),
    signedIn: whoIsSignedIn(authenticator, publicUrl),
    makeCtx,
    ownerOf: id => connections.table.get(id)?.accountId ?? null,
    sends: services.sends,
    takeReports: (ctx, report) => takeReports(ctx, connections.table, publicUrl ?? address.url, report),
    findFault: database.readiness.findFault,
    isDraining: () => port.isDraining,
    hasRoom: config.databaseUrl === null && !options.pglite ? watchRoom(config.dataDir) : () => true,
    prove: announcement.prove,
    metrics,
    traces,
    log,
    pagesDirectory,
    playground: config.playground,
    corsOrigins: config.corsOrigins,
    servesApi: config.role !== 'worker',
    version: VERSION,
  });
  return {
    schema,
    services,
    authenticator,
    requestLog,
    makeCtx,
    fetch: (request, connection = IN_PROCESS) => http.fetch(request, connection),
    async start(prepare = async () => undefined) {
      const held = holdUntilReady(http.fetch);
      const bounds = { routes: [...routes, ...doorsOf(config.doors)], requestLog, metrics, log };
      const { url, drain, leave } = await openListener(held.fetch, { ...config, ...bounds });
      port.leave = leave;
      closers.add(() => drain(DRAIN_MS));
      // Before the drain: subscriptions would never end.
      closers.add(() => closeFeeds(database));
      closers.add(() => sessions.endLinks());
      address.url = url;
      await connections.table.connect();
      await sessions.begin();
      await prepare().finally(held.open);
      // The command line needs a gateway that answers, and a pure worker does not.
      if (config.role !== 'worker') announcement.publish(address.url);
      closers.add(() => announcement.withdraw());
      if (config.role !== 'api') {
        const worker = await startWorker({ jobs, log, makeCtx: (_job, id) => makeCtx(ITSELF, id) });
        closers.add(() => worker.stop());
      }
      return address;
    },
    async stop({ leaves } = { leaves: false }) {
      // Others serve the port: it is as ready as before.
      port.isDraining = !leaves;
      if (leaves) await port.leave();
      await closers.close();
    },
  };
}

async function openAuthenticator({ database }: Services, operatorToken: string | null, closers: Closers) {
  const authenticator = createAuthenticator(database, operatorToken);
  closers.add(await database.listen(ACCOUNT_CHANNEL, authenticator.forget, authenticator.forget));
  return authenticator;
}

type OpeningParts = Pick<Services, 'keys'> &
  ReturnType<typeof prepareSecrets> & { readonly address: { readonly url: string }; readonly makeCtx: MakeCtx };

async function openServices(
  config: Config,
  options: AppOptions,
  { address, keys, makeCtx, operatorToken, secretKey }: OpeningParts,
  closers: Closers,
): Promise<{ readonly services: Services; readonly connections: Connections; readonly sessions: ChatSessions }> {
  const { log, onStep: step = () => () => undefined } = options;
  const metrics = createMetrics();
  const traces = config.traces && (await loadTraces(config.traces, log));
  // The last but for the data directory: until then spans end.
  closers.add(() => traces?.stop());
  const database = await openDatabaseOf(config, options, metrics, closers);
  const migrated = step('Bringing the schema of the database up to date');
  await migrate(database);
  migrated();
  // First of all: what follows writes with the keys.
  if (!options.anyKey) await claimDatabase(database, keys, secretKey);
  const opening = (): Promise<Jobs> =>
    openJobs({
      engine: database.engine.kind === 'pglite' ? database.engine : queueConnections(databaseTarget(config)),
      definitions: JOBS,
      maintain: config.role !== 'api',
      onError: error => log.warn({ err: error }, 'the queue reports an error'),
      spies: options.spies ?? false,
    });
  // Another process may be migrating the queue's schema.
  const jobs = await patiently(PATIENCE_MS.job, opening);
  closers.add(() => jobs.stop(DRAIN_MS));
  closers.add(() => closeFeeds(database));
  const publicUrl = (): string => config.publicUrl ?? address.url;
  const outbound = createOutbound({ allowedNetworks: config.webhookAllowedNetworks, userAgent: USER_AGENT });
  closers.add(() => outbound.close());
  await resealFactors(database.sql(), keys);
  const warning = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const unread = 'could not be read; what was known of them holds until it can';
  const senderRules = await openSenderRules(database, warning(`the sender rules ${unread}`));
  closers.add(() => senderRules.close());
  const suppressed = await openSuppressed(database, keys, warning(`the suppressed recipients ${unread}`));
  closers.add(() => suppressed.close());
  const cloudTemplates = await openTemplates(database, warning(`the templates ${unread}`));
  closers.add(() => cloudTemplates.close());
  const makeOwnCtx = (): Ctx => makeCtx(ITSELF, randomUUID());
  const health = await openHealth({ database, metrics, onError: warning(`the health of connections ${unread}`) });
  closers.add(() => health.close());
  const connections = await openConnections({
    database,
    health,
    keys,
    userAgent: USER_AGENT,
    chatQrDir: config.chatQrDir,
    publicUrl,
    makeCtx: makeOwnCtx,
    log,
    receive: receiveReports,
    async hear(ctx, connection, messages) {
      await receiveInbound(ctx, connection, messages);
      await sessions.noteWriters(connection.id, messages);
    },
    bySession: (...send) => sessions.send(...send),
    templateFault: cloudTemplates.faultOf,
    sandbox: config.sandbox ? sandbox.create(createSandboxPhones(database, () => jobs)) : null,
  });
  closers.add(() => connections.table.close());
  const sessions = new ChatSessions({ database, keys, log, table: connections.table, makeCtx: makeOwnCtx });
  closers.add(() => sessions.close());
  const services: Services = {
    database,
    jobs,
    metrics,
    traces,
    ...createTurns(),
    keys,
    outbound,
    mail: createMail(config.mail),
    oidc: config.oidc && createOidc(config.oidc),
    providers: options.providers ?? connections.providers,
    sessions,
    hasSandbox: config.sandbox,
    senderRules,
    suppressed,
    cloudTemplates,
    settings: factsOf(config),
    operatorHash: operatorToken && operatorHashOf(operatorToken),
    home: {
      url: () => address.url,
      publicUrl,
      readDemo: () => readPrivateJson(config.dataDir, DEMO_FILE),
      writeDemo: content => writePrivateJson(config.dataDir, DEMO_FILE, content),
    },
  };
  return { services, connections, sessions };
}
