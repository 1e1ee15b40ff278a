/** `webhooks`: the endpoints of an account, and the group of every command on webhooks. */
import type { Command } from 'commander';
import { type AccountOption, addAccountCommand, inAccount } from '../account-command.ts';
import type { Fields, Operation } from '../gateway/operator.ts';
import type { Session } from '../gateway/session.ts';
import type { WebhookEndpointData } from '../operations/operations.generated.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, table } from '../output.ts';
import { readEvents, readWhole } from '../values.ts';
import { addDeliveryCommands } from './webhook-deliveries.ts';
import { addListenCommand } from './webhook-listen.ts';

interface ListOptions extends AccountOption {
  readonly page?: number;
}

interface CreateOptions extends AccountOption {
  readonly events: readonly string[];
  readonly description?: string;
}

interface ChangeOptions extends AccountOption {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly description?: string;
}

const EVENTS = 'the events that it gets, separated by commas, or "*" for every event';

/** The most pages that can be asked for: far beyond the last one. */
const PAGE_MAX = 1_000_000;

/** Adds the commands on webhooks. */
export function addWebhookCommands(program: Command): void {
  const group = program.command('webhooks').description('the webhook endpoints of an account');
  addList(group);
  addCreate(group);
  addUpdate(group);
  addChange(group, 'pause', 'let the deliveries to an endpoint wait', OPERATIONS.updateWebhookEndpoint, endpointId => ({
    input: { endpointId, paused: true },
  }));
  addChange(group, 'resume', 'let those to a paused one flow again', OPERATIONS.updateWebhookEndpoint, endpointId => ({
    input: { endpointId, paused: false },
  }));
  const byId = (endpointId: string) => ({ endpointId });
  addChange(
    group,
    'enable',
    'enable an endpoint that the gateway has given up',
    OPERATIONS.enableWebhookEndpoint,
    byId,
  );
  const given = 'delete an endpoint; what is pending for it is given up';
  addChange(group, 'delete', given, OPERATIONS.deleteWebhookEndpoint, byId);
  addRotate(group);
  addDeliveryCommands(group);
  addListenCommand(group);
}

function addList(group: Command): void {
  addAccountCommand(group, 'list', 'list the endpoints, newest first, 20 a page')
    .option('--page <n>', 'which page, from 1', readWhole(1, PAGE_MAX))
    .action((options: ListOptions, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        const variables = { page: options.page };
        const { rows, page, pageSize, total } = await operator.run(OPERATIONS.webhookEndpoints, variables, accountId);
        out.show(rows, endpoints);
        const pages = Math.ceil(total / pageSize);
        if (total === 0) out.say('The account has no webhook endpoint yet.');
        else if (pages > 1 || page > pages) out.say(`Page ${page} of ${pages}, ${total} endpoints in all.`);
      }),
    );
}

function addCreate(group: Command): void {
  addAccountCommand(group, 'create <url>', 'create an endpoint; its secret is shown this once')
    .requiredOption('--events <list>', EVENTS, readEvents)
    .option('--description <text>', 'what it is for')
    .action((url: string, { events, description, ...options }: CreateOptions, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        const input = { url, events, description };
        showSecret(out, await operator.run(OPERATIONS.createWebhookEndpoint, { input }, accountId));
      }),
    );
}

function addUpdate(group: Command): void {
  addAccountCommand(group, 'update <endpointId>', 'change an endpoint; what is not given stays as it is')
    .option('--url <url>', 'where events are posted to from now on')
    .option('--events <list>', EVENTS, readEvents)
    .option('--description <text>', 'what it is for; an empty text takes it away')
    .action(async (endpointId: string, options: ChangeOptions, command: Command) => {
      const { url, events, description } = options;
      if (url === undefined && events === undefined && description === undefined)
        command.error('error: give at least one of --url, --events and --description');
      await inAccount(command, options, async ({ operator, out }, accountId) => {
        const input = { endpointId, url, events, description };
        const changed = await operator.run(OPERATIONS.updateWebhookEndpoint, { input }, accountId);
        out.show(changed, endpoint => endpoints([endpoint]));
      });
    });
}

function addChange<Variables extends Fields>(
  group: Command,
  verb: string,
  description: string,
  operation: Operation<WebhookEndpointData, Variables>,
  variables: (endpointId: string) => NoInfer<Variables>,
): void {
  addAccountCommand(group, `${verb} <endpointId>`, description).action(
    (endpointId: string, options: AccountOption, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        const changed = await operator.run(operation, variables(endpointId), accountId);
        out.show(changed, endpoint => endpoints([endpoint]));
      }),
  );
}

function addRotate(group: Command): void {
  const description = 'give an endpoint a new secret, shown this once; the one before signs too for 24 hours';
  addAccountCommand(group, 'rotate <endpointId>', description).action(
    (endpointId: string, options: AccountOption, command: Command) =>
      inAccount(command, options, async ({ operator, out }, accountId) => {
        showSecret(out, await operator.run(OPERATIONS.rotateWebhookSecret, { endpointId }, accountId));
      }),
  );
}

/** Scripts take the secret from here, so that it is JSON in any case. */
function showSecret(
  out: Session['out'],
  { endpoint: { endpointId, url }, secret }: { endpoint: { endpointId: string; url: string }; secret: string },
): void {
  out.show({ endpointId, url, secret }, made => JSON.stringify(made));
}

function endpoints(rows: readonly WebhookEndpointData[]): string {
  return table(
    ['ENDPOINT', 'STATUS', 'WHY', 'FAILING SINCE', 'URL', 'EVENTS', 'DESCRIPTION'],
    rows.map(row => [
      row.endpointId,
      row.status,
      orDash(row.disabledReason),
      orDash(row.failingSince),
      row.url,
      row.events.join(','),
      orDash(row.description),
    ]),
  );
}
