/** Finds whom to ask: a running gateway over HTTP, or the schema in this process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { findGateway } from '../../db/data-dir/announcement.ts';
import { DirectoryInUse } from '../../db/data-dir/data-dir-lock.ts';
import { readOperatorToken } from '../../db/data-dir/prepare-secrets.ts';
import { StartError } from '../../kernel/process/start-error.ts';
import { KeyRefusal } from '../../modules/keys/key-refusal.ts';
import { Refusal } from '../refusal.ts';
import type { Operator } from './operator.ts';
import { overHttp } from './over-http.ts';
import { profileOf } from './profiles.ts';
import { waitForHolder } from './wait-for-holder.ts';

const RETRY_MS = 100;

/** How often opening may fail though nobody holds the data directory: a process that starts may be writing its secrets. */
const FAILURES_MAX = 3;

/** How a command is connected. */
export interface ConnectOptions {
  /** Opens the database in this process though it belongs to another secret key. */
  readonly anyKey?: boolean;
  /** Asks a running gateway alone: opening a database takes longer than anybody waits for a completion. */
  readonly runningOnly?: boolean;
  /** Opens a PostgreSQL in this process though a gateway runs: that one may be of another release, with other migrations. */
  readonly opensServer?: boolean;
}

/** The operator for these settings; `say` is told what takes long. @throws StartError, Refusal where nobody can be asked */
export async function connect(
  config: Config,
  say: (message: string) => void,
  options: ConnectOptions = {},
): Promise<Operator> {
  let waitsOn: (() => boolean) | null = null;
  for (let failures = 0; ; ) {
    const operator = options.opensServer && config.databaseUrl !== null ? null : await connectToGateway(config);
    if (operator) return operator;
    if (options.runningOnly) throw new Refusal(null, 'No gateway runs here.');
    // Loaded only where it is needed: beside a gateway a command then starts at once.
    const { inProcess } = await import('./in-process.ts');
    try {
      return await inProcess(config, say, options);
    } catch (error) {
      if (!(error instanceof StartError) || error instanceof KeyRefusal || config.databaseUrl !== null) throw error;
      if (error instanceof DirectoryInUse) {
        waitsOn ??= waitForHolder({ dataDir: config.dataDir, say });
        if (!waitsOn()) throw busy(error, config.dataDir);
      } else if (++failures >= FAILURES_MAX) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** The operator at the gateway of a profile. @throws Refusal where there is no such profile, or its token is none of an operator */
export function connectTo(name: string): Operator {
  const { area } = profileOf(name);
  if (area === undefined) return askAs(name);
  throw new Refusal('wrong_area', `The profile ${name} has a token of an account (${area}): "mcp" alone asks by it.`);
}

/** Whoever's token a profile has, at its gateway. @throws Refusal where there is no such profile */
export function askAs(name: string): Operator {
  const { url, token } = profileOf(name);
  const known = { url, signIn: `login ${url} --profile ${name}` };
  return { ...overHttp(known, token), place: 'elsewhere' };
}

/** The operator at the gateway that runs, or null where none does, or it is closed to operators. @throws Refusal, StartError */
export async function connectToGateway(config: Config): Promise<Operator | null> {
  const gateway = await findGateway(config.dataDir);
  if (!gateway) return null;
  const token = operatorTokenOf(config);
  if (token !== null) return overHttp(gateway, token);
  // A gateway without an operator token is closed to operators over HTTP, but whoever has the database has it all.
  if (config.databaseUrl !== null) return null;
  throw new Refusal(
    null,
    `The gateway at ${gateway.url} (process ${gateway.pid}) runs, but there is no operator token: set OPERATOR_TOKEN to the one that it was started with.`,
  );
}

/** As the gateway itself takes it: in production only from the environment. */
function operatorTokenOf({ operatorToken, production, dataDir }: Config): string | null {
  return operatorToken !== null || production ? operatorToken : readOperatorToken(dataDir);
}

function busy(error: StartError, dataDir: string): Refusal {
  const who = `A gateway that is starting or stopping, or another command, holds the data directory ${dataDir}, and has written nothing for 30 seconds.`;
  return new Refusal(null, `${who}\n${error.message}`, error);
}
