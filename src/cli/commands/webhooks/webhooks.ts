/** `webhooks`: the endpoints of an account, and the group of every command on webhooks. */
import type { Command } from 'commander';
import { addAccountCommand } from '../../command.ts';
import type { Fields, Operation } from '../../gateway/operator.ts';
import {
  type NewWebhookSecretData,
  OPERATIONS,
  type WebhookEndpointData,
} from '../../operations/operations.generated.ts';
import { needsSome, option, required } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { readEvents, readWhole } from '../../values.ts';
import { addDeliveryCommands } from './deliveries.ts';
import { addListenCommand } from './listen.ts';

const ENDPOINTS = columnsOf<WebhookEndpointData>({
  ENDPOINT: 'endpointId',
  STATUS: row => (row.status === 'enabled' && row.failingSince !== null ? 'retrying' : row.status),
  WHY: 'disabledReason',
  'FAILING SINCE': 'failingSince',
  FAILED: row => row.failedTries || null,
  WAITING: row => row.waitingDeliveries || null,
  URL: 'url',
  EVENTS: row => row.events.join(','),
  DESCRIPTION: 'description',
});

const EVENTS = 'the events that it gets, separated by commas, or "*" for every event';

/** The most pages that can be asked for: far beyond the last one. */
const PAGE_MAX = 1_000_000;

const LIST = { page: option('<n>', 'which page, from 1', readWhole(1, PAGE_MAX)) };

const CREATE = {
  events: required('<list>', EVENTS, readEvents),
  description: option('<text>', 'what it is for'),
};

const UPDATE = {
  url: option('<url>', 'where events are posted to from now on'),
  events: option('<list>', EVENTS, readEvents),
  description: option('<text>', 'what it is for; an empty text takes it away'),
};

/** Adds the commands on webhooks. */
export function addWebhookCommands(program: Command): void {
  const group = program.command('webhooks').description('the webhook endpoints of an account');
  addList(group);
  addCreate(group);
  addUpdate(group);
  const { updateWebhookEndpoint, enableWebhookEndpoint, deleteWebhookEndpoint } = OPERATIONS;
  addChange(group, 'pause', 'let the deliveries to an endpoint wait', updateWebhookEndpoint, endpointId => ({
    input: { endpointId, paused: true },
  }));
  addChange(group, 'resume', 'let those to a paused one flow again', updateWebhookEndpoint, endpointId => ({
    input: { endpointId, paused: false },
  }));
  const byId = (endpointId: string) => ({ endpointId });
  addChange(group, 'enable', 'enable an endpoint that the gateway has given up', enableWebhookEndpoint, byId);
  const deletion = 'delete an endpoint; what is pending for it is given up';
  const done = (endpointId: string) => `The endpoint ${endpointId} is deleted, and what was pending for it given up.`;
  const deleting = addChange(group, 'delete', deletion, deleteWebhookEndpoint, byId, done);
  confirmed(deleting, { question: id => `Delete the endpoint ${id}, and give up what is pending for it` });
  addRotate(group);
  addDeliveryCommands(group);
  addListenCommand(group);
}

function addList(group: Command): void {
  const list = 'list the endpoints, newest first, 20 a page';
  addAccountCommand(group, 'list', list, LIST, async ({ operator, out, accountId, options }) => {
    const found = await operator.run(OPERATIONS.webhookEndpoints, { page: options.page }, accountId);
    const { rows, page, pageSize, total } = found;
    out.show(rows, ENDPOINTS.table);
    const pages = Math.ceil(total / pageSize);
    if (total === 0) out.say('The account has no webhook endpoint yet.');
    else if (pages > 1 || page > pages) out.say(`Page ${page} of ${pages}, ${total} endpoints in all.`);
  });
}

function addCreate(group: Command): void {
  const create = 'create an endpoint; its secret is shown this once';
  addAccountCommand(group, 'create <url>', create, CREATE, async (session, url: string) => {
    const { events, description } = session.options;
    const input = { url, events, description };
    const made = await session.operator.run(OPERATIONS.createWebhookEndpoint, { input }, session.accountId);
    session.out.show(secretOf(made), shown => JSON.stringify(shown));
    session.out.say(SHOWN_ONCE);
  });
}

function addUpdate(group: Command): void {
  const update = 'change an endpoint; what is not given stays as it is';
  addAccountCommand(group, 'update <endpointId>', update, UPDATE, async (session, endpointId: string) => {
    const { url, events, description } = session.options;
    const input = { endpointId, url, events, description };
    const changed = await session.operator.run(OPERATIONS.updateWebhookEndpoint, { input }, session.accountId);
    session.out.show(changed, ENDPOINTS.one);
  }).hook('preAction', needsSome);
}

function addChange<Variables extends Fields>(
  group: Command,
  verb: string,
  description: string,
  operation: Operation<WebhookEndpointData, Variables>,
  variables: (endpointId: string) => NoInfer<Variables>,
  done: ((endpointId: string) => string) | null = null,
): Command {
  return addAccountCommand(group, `${verb} <endpointId>`, description, {}, async (session, endpointId: string) => {
    const changed = await session.operator.run(operation, variables(endpointId), session.accountId);
    session.out.show(changed, ENDPOINTS.one);
    if (done) session.out.say(done(endpointId));
  });
}

function addRotate(group: Command): void {
  const rotate = 'give an endpoint a new secret, shown this once; the one before signs too for 24 hours';
  addAccountCommand(group, 'rotate <endpointId>', rotate, {}, async (session, endpointId: string) => {
    const made = await session.operator.run(OPERATIONS.rotateWebhookSecret, { endpointId }, session.accountId);
    session.out.show(secretOf(made), shown => JSON.stringify(shown));
    session.out.say(SHOWN_ONCE);
  });
}

const SHOWN_ONCE = 'The secret is shown this once: keep it where the receiver finds it.';

/** Scripts take the secret from here, so that it is printed as JSON in any case. */
function secretOf({ endpoint: { endpointId, url }, secret }: NewWebhookSecretData): object {
  return { endpointId, url, secret };
}
