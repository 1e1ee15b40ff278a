/** `webhooks listen`: the events of an account, forwarded to a developer's own server as deliveries would come to it. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Config, readConfig } from '../../../config.ts';
import { newWebhookSecret } from '../../../modules/webhooks/signatures/webhook-signature.ts';
import { ACCOUNT_OPTION, addBareCommand, chooseAccount, outputOf } from '../../command.ts';
import type { Forwarded, Forwarder } from '../../forward.ts';
import { connect, connectTo, connectToGateway } from '../../gateway/connect.ts';
import type { Operator } from '../../gateway/operator.ts';
import { keptSecret } from '../../gateway/profiles.ts';
import { stay } from '../../gateway/stay.ts';
import { PROGRAM } from '../../help.ts';
import { endOfFollowing } from '../../interrupt.ts';
import { OPERATIONS } from '../../operations/operations.generated.ts';
import { option, required, type ValuesOf } from '../../options.ts';
import type { Output } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { lineOf } from '../../table.ts';
import { readEvents } from '../../values.ts';

const LISTEN = {
  forward: required('<url>', 'where to, like http://127.0.0.1:3000/hook', readTarget),
  events: option('<list>', 'only these events, separated by commas, or "*" for every event', readEvents),
  account: ACCOUNT_OPTION,
};

type ListenOptions = ValuesOf<typeof LISTEN>;

/** Kept between runs, so that a receiver is set up once. */
const SECRET_FILE = 'listen.secret';

/** How much is shown of an answer, in characters: it may be a whole page of HTML in one line. */
const LINE_LENGTH_MAX = 200;

/** Adds the command that forwards events. */
export function addListenCommand(group: Command): void {
  const description = 'forward events to a server of yours as they happen, signed as deliveries are, until interrupted';
  addBareCommand(group, 'listen', description, LISTEN).action((options: ListenOptions, command: Command) =>
    listen(options, command.optsWithGlobals<{ readonly profile?: string }>().profile, outputOf(command)),
  );
}

function readTarget(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('Give a URL like http://127.0.0.1:3000/hook, without a user name.');
  return url.href;
}

async function listen(options: ListenOptions, profile: string | undefined, out: Output): Promise<void> {
  const config = readConfig();
  const operator = profile === undefined ? await reach(config, out) : connectTo(profile);
  const signal = endOfFollowing();
  let forwarder: Forwarder | null = null;
  try {
    const accountId = await chooseAccount(operator, options.account);
    const secret = keptSecret(SECRET_FILE, newWebhookSecret);
    out.say(`Signing secret: ${secret} (the same at every run, kept in ~/.config/heliograph/${SECRET_FILE})`);
    // Loaded only where it is needed: no other command calls a server of the user's.
    const { createForwarder } = await import('../../forward.ts');
    let isAdvised = false;
    const tell = (told: Forwarded): void => {
      out.show(told, line);
      if (told.error !== 'connection_failed' || isAdvised) return;
      isAdvised = true;
      out.say(
        `No answer came from ${options.forward}. Is your server running there? "webhooks redeliver" or "trigger" tells it again.`,
      );
    };
    // biome-ignore lint/plugin: No event has told the gateway's time yet.
    let newest = new Date().toISOString();
    const forwarding = createForwarder({ url: options.forward, secret }, tell, signal);
    forwarder = forwarding;
    await stay({
      config,
      operator,
      signal,
      say: out.say,
      async begin(at) {
        // A stream answers before it refuses, but what may list endpoints may follow events.
        await at.run(OPERATIONS.webhookEndpoints, {}, accountId);
        const leftOut = (count: number): void =>
          out.say(
            `${count === 1 ? '1 event was' : `${count} events were`} not forwarded: they came too fast. ${howAgain(newest)}`,
          );
        return at.follow(OPERATIONS.webhookEventAdded, { events: options.events }, accountId, { signal, leftOut });
      },
      begun: (_at, isAgain) =>
        out.say(
          isAgain
            ? `Forwarding again. What happened in between was not forwarded. ${howAgain(newest)}`
            : `Forwarding the events of ${accountId} to ${options.forward}; Ctrl+C ends it.`,
        ),
      async each(event) {
        await forwarding.forward(event);
        newest = event.createdAt;
      },
    });
  } finally {
    await forwarder?.close();
    await operator.close();
  }
}

/** Advice on events that were not forwarded: those that are delivered again are forwarded. `since`: the time of the last event that was forwarded. */
function howAgain(since: string): string {
  return `To get what an endpoint got: "webhooks redeliver --endpoint <endpointId> --status delivered --since ${since}"; what it missed: "webhooks recover <endpointId> --since ${since}".`;
}

/** Whom to follow: the gateway that runs, or the database where others may write. @throws Refusal where nothing could happen. */
async function reach(config: Config, out: Output): Promise<Operator> {
  const gateway = await connectToGateway(config);
  if (gateway) return gateway;
  if (config.databaseUrl === null)
    throw new Refusal(
      null,
      `No gateway runs on the data directory ${config.dataDir}, so nothing would happen. Start one with ${PROGRAM} start, or set DATA_DIR to that of the one that runs.`,
    );
  const operator = await connect(config, out.say);
  if (operator.place === 'process')
    out.say('No gateway runs here: only what others write to the same database will be seen.');
  return operator;
}

function line({ time, event, eventId, status, error, message, response, durationMs }: Forwarded): string {
  const cells = [time, event, eventId, String(status ?? error), `${durationMs} ms`];
  const said = message ?? firstLine(response ?? '');
  return lineOf(said === '' ? cells : [...cells, said]);
}

/** Mostly it tells what the server did not like. */
function firstLine(text: string): string {
  return (text.trim().split(/[\r\n]/, 1)[0] ?? '').slice(0, LINE_LENGTH_MAX);
}
