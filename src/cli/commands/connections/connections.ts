/** `connection add`, `connection list`, `connection set`, `connection test` and `connection remove`. */
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { CHANNELS, type Channel, PURPOSES, type Purpose } from '../../../kernel/channel.ts';
import { addCommand, type Session } from '../../command.ts';
import type { Operator } from '../../gateway/operator.ts';
import { OPERATIONS, type ProviderConnectionData } from '../../operations/operations.generated.ts';
import { asked, askedOf, flag, needsSome, option, required } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { canAsk, terminalAsker } from '../../terminal/ask.ts';
import { type AskedConnection, askConnection, type GivenConnection } from '../../terminal/ask-connection.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { enumName, type Given, readCountries, readObject, readSome, readWhole } from '../../values.ts';
import { addLinkCommands } from './link.ts';

/** The word for the shared connections in the place of an account. */
const SHARED = 'shared';

const CONNECTIONS = columnsOf<ProviderConnectionData>({
  CONNECTION: 'connectionId',
  ACCOUNT: row => row.accountId ?? SHARED,
  CHANNEL: 'channel',
  PROVIDER: 'provider',
  NAME: 'name',
  PRIORITY: 'priority',
  WEIGHT: 'weight',
  COUNTRIES: row => row.countries?.join(',') ?? 'all',
  PURPOSES: row => row.purposes?.join(',') ?? 'all',
  HEALTH: row => (row.paused ? 'paused' : standingOf(row)),
  TROUBLE: row => row.health.lastError ?? (row.readings.flatMap(({ reason }) => reason ?? []).join(' ') || null),
});

/** Sick is what takes what it is given, and does little with it: for all countries, or for those that are named. */
export function standingOf({
  health: { status },
  readings,
}: Pick<ProviderConnectionData, 'health' | 'readings'>): string {
  const sick = readings.filter(({ reason }) => reason !== null).map(({ country }) => country);
  if (status === 'down' || sick.length === 0) return status;
  return sick.includes(null) ? 'sick' : `sick for ${sick.join(', ')}`;
}

const TEST = columnsOf<{ outcome: string; code: string | null; message: string | null; milliseconds: number }>({
  OUTCOME: 'outcome',
  MS: 'milliseconds',
  CODE: 'code',
  MESSAGE: 'message',
});

const CHOICE = {
  priority: option('<n>', 'the lowest goes first; 100 where it is not given', readWhole(0, 10_000)),
  weight: option('<n>', 'its part of the recipients among those with its priority', readWhole(1, 1_000)),
  countries: option('<list>', "the recipients' countries, like US,CA; * for all", readCountriesOrAll),
  purposes: option('<list>', 'message, otp, or * for both', readPurposes),
};

const ADD = {
  provider: asked('<id>', 'the provider: smpp, http-sms, twilio, vonage, whatsapp-cloud, chat-qr'),
  channel: asked('<channel>', 'the channel', CHANNELS),
  name: asked('<name>', 'what people call it'),
  config: asked('<json|@file>', 'what the provider needs; @- reads standard input', readConfigText),
  ...CHOICE,
  untested: flag('add it without trying it: by itself the config is tried, and no text is sent'),
};

const SET = {
  name: option('<name>', 'what people call it'),
  config: option('<json|@file>', 'the whole config from now on; @- reads standard input', readConfigText),
  ...CHOICE,
  pause: flag('let nothing more go by it', 'resume'),
  resume: flag('use it again'),
  provider: option('<id>', 'its provider, which a connection keeps'),
  channel: option('<channel>', 'its channel, which a connection keeps', CHANNELS),
};

/** Adds the commands on connections. */
export function addConnectionCommands(program: Command): void {
  const group = program.command('connection').description('the real providers of accounts');
  const add = `connect a provider for an account, or for all of them (${SHARED}); on a terminal it asks for what is missing`;
  addCommand(group, 'add [accountId]', add, ADD, async ({ operator, out, options }, given?: string) => {
    const { priority, weight, countries, purposes } = options;
    const { account, provider, channel, name, config } = await complete(operator, { ...options, account: given });
    const choice = { countries: countries?.value, purposes: purposes?.value?.map(purpose => enumName(purpose)) };
    const facts = { provider, channel: enumName(channel), name, config, priority, weight };
    const input = { accountId: accountOf(account), ...facts, ...choice };
    // Before it is there: an SMSC may allow one bind, which is the connection's.
    const probe = { input: { provider, config } };
    const tried = options.untested ? null : await operator.run(OPERATIONS.probeConnection, probe);
    const { connectionId, receiptsUrl } = await operator.run(OPERATIONS.createConnection, { input });
    // Told once it is there: a refusal begins with its code.
    if (tried) out.say(`Tried, ${tried.result}: ${tried.message}`);
    out.show({ connectionId, receiptsUrl }, () =>
      receiptsUrl === null ? connectionId : `${connectionId}\nIts provider reports to ${receiptsUrl}`,
    );
    await tellGaps({ operator, out }, accountOf(account));
  }).hook('preAction', command => {
    if (command.args.length === 0 && !canAsk()) command.error("error: missing required argument 'accountId'");
  });
  const list = 'list the connections of an account or the shared ones, in the order in which they are tried, or all';
  addCommand(group, 'list [accountId]', list, {}, async ({ operator, out }, account?: string) => {
    const asked = account === undefined ? {} : { accountId: accountOf(account) };
    const none =
      account === undefined ? 'connection' : account === SHARED ? 'shared connection' : 'connection of this account';
    out.list(await operator.run(OPERATIONS.connections, asked), CONNECTIONS, `There is no ${none}.`);
  });
  const set = 'change a connection; what is not given stays as it is';
  addCommand(group, 'set <connectionId>', set, SET, async ({ operator, out, options }, connectionId: string) => {
    const { name, config, priority, weight, countries, purposes, pause, resume } = options;
    await expectSame(operator, connectionId, options);
    const paused = pause ? true : resume ? false : undefined;
    const choice = {
      ...(countries && { countries: countries.value }),
      ...(purposes && { purposes: purposes.value?.map(purpose => enumName(purpose)) ?? null }),
    };
    const input = { connectionId, name, config, priority, weight, ...choice, paused };
    const changed = await operator.run(OPERATIONS.updateConnection, { input });
    out.show(changed, CONNECTIONS.one);
    await tellGaps({ operator, out }, changed.accountId);
  }).hook('preAction', needsSome);
  addTest(group);
  addLinkCommands(group);
  const renew = 'give a connection another address of receipts; the one before is refused from then on';
  const renewing = addCommand(group, 'renew-receipts <connectionId>', renew, {}, async (session, id: string) => {
    const { receiptsUrl } = await session.operator.run(OPERATIONS.renewReceiptsUrl, { connectionId: id });
    session.out.show({ connectionId: id, receiptsUrl }, () => String(receiptsUrl));
  });
  confirmed(renewing, { question: id => `Give ${id} another address of receipts, which its provider has to be told` });
  const remove = 'remove a connection: nothing more goes by it, and what is in flight ends';
  const removing = addCommand(
    group,
    'remove <connectionId>',
    remove,
    {},
    async ({ operator, out }, connectionId: string) => {
      const removed = await operator.run(OPERATIONS.deleteConnection, { connectionId });
      out.show(removed, CONNECTIONS.one);
      out.say(`The connection ${connectionId} is removed: nothing more goes by it.`);
      await tellGaps({ operator, out }, removed.accountId);
    },
  );
  confirmed(removing, { question: connectionId => `Remove the connection ${connectionId}`, goesOnInScripts: true });
}

/** Refuses another provider or channel than that of a connection: scripts may give `set` the options of `add`. */
async function expectSame(
  operator: Operator,
  connectionId: string,
  given: { readonly provider?: string | undefined; readonly channel?: Channel | undefined },
): Promise<void> {
  if (given.provider === undefined && given.channel === undefined) return;
  const known = (await operator.run(OPERATIONS.connections, {})).find(row => row.connectionId === connectionId);
  if (!known) return;
  const { provider = known.provider, channel = known.channel } = given;
  const other = provider !== known.provider ? 'provider' : channel !== known.channel ? 'channel' : null;
  if (other !== null)
    throw new Refusal(
      'invalid_input',
      `${other}: a connection keeps its ${other}, ${known[other]}; add another connection.`,
    );
}

/** Completes the given connection: a person at the terminal is asked for missing parts. Elsewhere the options are required. */
async function complete(operator: Operator, given: GivenConnection): Promise<AskedConnection> {
  const { account, provider, channel, name, config } = given;
  if (
    account !== undefined &&
    provider !== undefined &&
    channel !== undefined &&
    name !== undefined &&
    config !== undefined
  )
    return { account, provider, channel, name, config };
  const [providers, accounts] = [
    await operator.run(OPERATIONS.providers, {}),
    await operator.run(OPERATIONS.accounts, {}),
  ];
  return askConnection(await terminalAsker(), given, { providers, accounts, shared: SHARED });
}

/** Says what the connections of an account leave unserved: each change of one may take a country, or the sandbox, away. */
async function tellGaps({ operator, out }: Session, accountId: string | null): Promise<void> {
  for (const gap of await operator.run(OPERATIONS.connectionGaps, { accountId })) out.say(gap);
}

const TEST_OPTIONS = {
  to: required('<number>', 'the recipient, with country code'),
  text: option('<text>', 'the text; a test message where it is not given'),
  from: option('<sender>', 'the sender; the default one of the account where it is not given'),
  cloudTemplate: askedOf(
    'template names',
    option('<name:language>', 'a template of a cloud chat, in the place of the text'),
  ),
};

function addTest(group: Command): void {
  const test = 'hand one text to its provider; it costs no credits, and is not logged';
  addCommand(
    group,
    'test <connectionId>',
    test,
    TEST_OPTIONS,
    async ({ operator, out, options }, connectionId: string) => {
      const { to, text, from, cloudTemplate } = options;
      const result = await operator.run(OPERATIONS.testConnection, { connectionId, to, text, from, cloudTemplate });
      out.show(result, TEST.one);
      if (result.outcome !== 'accepted')
        throw new Refusal(result.code, result.message ?? `The provider answered: ${result.outcome}.`);
    },
  );
}

function accountOf(account: string): string | null {
  return account === SHARED ? null : account;
}

/** A config as JSON, or the file that it is in. */
function readConfigText(value: string): Record<string, unknown> {
  if (!value.startsWith('@')) return readObject(value);
  const path = value.slice(1);
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch {
    throw new InvalidArgumentError(`The file ${path} cannot be read.`);
  }
  return readObject(text);
}

function readCountriesOrAll(value: string): Given<string[]> {
  return { value: value.trim() === '*' ? null : readCountries(value) };
}

function readPurposes(value: string): Given<Purpose[]> {
  return { value: value.trim() === '*' ? null : readSome(value, PURPOSES, 'separated by commas, or "*" for both') };
}
