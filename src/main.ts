/**
 * The entry point: starts the gateway and stops it on a signal. With `PROCESSES` it runs once more in each process that serves.
 * Exit status 0: stopped; 1: could not start.
 */
import cluster from 'node:cluster';
import { type App, openApp } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { hasEmbedded } from './db/embedded/embedded.ts';
import { templateOf } from './db/embedded/embedded-template.ts';
import { toAppError } from './db/failures.ts';
import { onEndSignal } from './kernel/process/end-signal.ts';
import { StartError } from './kernel/process/start-error.ts';
import { ConfigError } from './kernel/settings/config-error.ts';
import { isEmpty } from './modules/accounts/manage-accounts.ts';
import { ensureDemo, moveDemo } from './modules/demo/seed-demo.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { gatherMetrics } from './observability/metrics-of-all.ts';
import { isLeave, type Listening } from './processes/messages.ts';
import { Processes } from './processes/processes.ts';
import { requirePort } from './rest/server/listen.ts';

/** Slower steps are announced, so that nobody thinks that the start hangs. */
const SLOW_STEP_MS = 1_000;

/** The longest time of a stop; the next start recovers the rest. */
const STOP_MS = 30_000;

/** Whether the line of a step still waits for its time. */
let isLineOpen = false;

function say(line: string): void {
  process.stderr.write(`${isLineOpen ? '\n' : ''}${line}\n`);
  isLineOpen = false;
}

function onStep(name: string, isFirstStart = false): () => void {
  if (isFirstStart) return announce(name);
  const timer = setTimeout(() => say(`${name} …`), SLOW_STEP_MS);
  return () => clearTimeout(timer);
}

/** Says what is under way, and in the end how long it took: on a terminal in one line. */
function announce(name: string): () => void {
  const beganMs = performance.now();
  const { stderr } = process;
  isLineOpen = stderr.isTTY;
  stderr.write(isLineOpen ? `${name} … ` : `${name} …\n`);
  return () => {
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
    const isSameLine = isLineOpen;
    isLineOpen = false;
    say(isSameLine ? `${seconds} s` : `${name}: done in ${seconds} s`);
  };
}

async function serve(config: Config, log: Logger): Promise<void> {
  if (config.databaseUrl === null && !hasEmbedded(config.dataDir)) await requirePort(config);
  const endStart = (): void => process.exit(0);
  // The kernel keeps signals without a listener from the first process of a container.
  if (process.pid === 1) process.on('SIGTERM', endStart).on('SIGINT', endStart);
  const app = await openApp(config, { log, onStep, templateOf });
  process.off('SIGTERM', endStart).off('SIGINT', endStart);
  endOnSignal(app);
  try {
    const { url } = await app.start(async () => {
      if (config.databaseUrl === null && (await isEmpty(app.services.database))) await greet(app);
      else moveDemo(app.services.home);
    });
    if (cluster.isWorker) process.send?.({ type: 'heliograph:listening', url } satisfies Listening);
    else welcome(config, log, url);
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** Starts the processes that serve, and has signals reach them: SIGHUP exchanges each for a new one. */
async function startProcesses(config: Config, log: Logger): Promise<void> {
  const processes = new Processes(log);
  gatherMetrics(() => processes.serving());
  const end = (): void => void processes.end().then(() => process.exit(0));
  // A terminal that is closed says so by the same signal.
  onEndSignal(end, process.stderr.isTTY ? ['SIGHUP'] : []);
  if (!process.stderr.isTTY) process.on('SIGHUP', () => processes.exchange());
  const started = await processes.start(config.processes);
  if ('exitCode' in started) process.exit(started.exitCode);
  welcome(config, log, started.url);
}

/** Says where the gateway listens. */
function welcome(config: Config, log: Logger, url: string): void {
  tellOfSandbox(config, log);
  const by = config.processes > 1 ? ` by ${config.processes} processes` : '';
  say(`Heliograph listens on ${url}${by} – ${pagesOf(config, url).join(', ')}`);
}

/** The pages to open in a browser; a pure worker has none. */
function pagesOf({ role, playground }: Config, url: string): string[] {
  if (role === 'worker') return [`health ${url}/healthz`, `metrics ${url}/metrics`];
  return [`dashboard ${url}/dashboard`, ...(playground ? [`playground ${url}/graphql`] : []), `API ${url}/docs`];
}

/** Says what becomes of sends that no provider takes, where that surprises. The first of several processes has no database to ask for providers. */
function tellOfSandbox({ sandbox, production }: Config, log: Logger): void {
  if (!sandbox) {
    say('SANDBOX is off: what no provider takes fails with no_route. SANDBOX=on lets the sandbox answer.');
    log.info({ event: 'sandbox_off' }, 'the sandbox is off: what no provider takes fails with no_route');
  } else if (production) {
    say('SANDBOX is on in production: what no provider takes is answered by the sandbox, and reaches nobody.');
    log.warn({ event: 'sandbox_in_production' }, 'the sandbox answers sends in production: they reach nobody');
  }
}

/** On the first start of an empty embedded database: creates the demo account and prints it with a curl line. */
async function greet(app: App): Promise<void> {
  const made = announce('Making the demo account');
  const demo = await ensureDemo(app.makeCtx({ kind: 'operator', account: null }, 'first-start'));
  made();
  const { tokens, dashboard, url } = demo;
  process.stdout.write(
    `${[
      'The demo account is ready (kept in demo.json in the data directory):',
      `  unified token     ${tokens.unified}`,
      `  sms token         ${tokens.sms}`,
      `  otp token         ${tokens.otp}`,
      `  management token  ${tokens.management}`,
      `  dashboard         ${dashboard.email}  ${dashboard.password}`,
      ...(app.services.hasSandbox ? ['Send a first message to the sandbox:', curlLine(url, tokens.unified)] : []),
    ].join('\n')}\n`,
  );
}

function curlLine(url: string, token: string): string {
  return `  curl -s ${url}/api/omni/send -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"to":"+12025550100","text":"Hello","channels":["sms"],"sender":"DEMO"}'`;
}

function endOnSignal(app: App): void {
  const end = (how?: { readonly leaves: boolean }): void => {
    setTimeout(() => process.exit(1), STOP_MS).unref();
    void app.stop(how).then(() => process.exit(0));
  };
  onEndSignal(() => end(), cluster.isWorker ? [] : ['SIGHUP']);
  // The first process exchanges its others by it; they get it too where a terminal is closed.
  if (cluster.isWorker) process.on('SIGHUP', () => undefined);
  process.on('message', message => isLeave(message) && end({ leaves: true }));
}

try {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  await (config.processes > 1 && cluster.isPrimary ? startProcesses : serve)(config, log);
} catch (error) {
  const isExpected = error instanceof ConfigError || error instanceof StartError || toAppError(error) !== null;
  say(
    isExpected && error instanceof Error
      ? error.message
      : `Heliograph could not start: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
}
