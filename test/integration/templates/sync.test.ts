import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { noteTemplates } from '../../../src/modules/templates/note-templates.ts';
import { TEMPLATE_CHANNEL } from '../../../src/modules/templates/template-table.ts';
import { syncTemplatesJob } from '../../../src/modules/templates/templates.jobs.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';
import { connectCarrier, connectGraph, graphConfig, utilityTemplate } from '../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, OTP_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import { type Graph, startGraph } from '../../support/whatsapp/graph.ts';

// The addresses of the fake are those that the operator gave.
const on = setUpApp({ mayTell: /http:\/\/127\.0\.0\.1[:/]|127\.0\.0\.1:\d+/g });
const customer = setUpOwnCustomer(on);
let graph: Graph;

beforeEach(async () => {
  graph = await startGraph({ templates: [OTP_TEMPLATE, utilityTemplate('order_sent'), GERMAN] });
});

const GERMAN = utilityTemplate('order_sent', {
  language: 'de',
  status: 'REJECTED',
  rejectedReason: 'INVALID_FORMAT',
});

const operator = () => on.app.makeCtx(OPERATOR, 'test');

interface Shown {
  readonly name: string;
  readonly language: string;
  readonly status: string;
}

const FIELDS = 'name language category status reason preview parameterCount connection { connectionId } ';

async function list(filter: object = {}, token: string = customer.tokens.management): Promise<readonly Shown[]> {
  const { data, errors } = await on.graphql<{ cloudTemplates: { nodes: Shown[] } }>(
    `query ($filter: CloudTemplateFilter) { cloudTemplates(filter: $filter) { nodes { ${FIELDS} } } }`,
    { token, variables: { filter } },
  );
  expect(errors).toBeNull();
  return data?.cloudTemplates.nodes ?? [];
}

async function sync(connectionId: string, token = OPERATOR_TOKEN) {
  const { data, errors } = await on.graphql<{ syncTemplates: object }>(
    'mutation ($id: String!) { syncTemplates(connectionId: $id) { result message total } }',
    { token, variables: { id: connectionId } },
  );
  return data?.syncTemplates ?? errors?.map(({ message, extensions }) => `${extensions.code} ${message}`);
}

async function configure(connectionId: string, config: object): Promise<void> {
  const { errors } = await on.graphql(
    'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }',
    { token: OPERATOR_TOKEN, variables: { input: { connectionId, config } } },
  );
  expect(errors).toBeNull();
}

/** Takes the jobs of a connection off the queue; answers how many there were. */
async function takeJobs(connectionId: string): Promise<number> {
  const jobs = await on.sql(
    `delete from pgboss.job where name = 'sync-templates' and data->>'connectionId' = $1 returning id`,
    [connectionId],
  );
  return jobs.length;
}

/** The number of announcements to the processes during `act`. */
async function announcedBy(act: () => Promise<unknown>): Promise<number> {
  const heard: string[] = [];
  const end = Promise.withResolvers<void>();
  const hear = (payload: string): void => (payload === 'end' ? end.resolve() : void heard.push(payload));
  const unlisten = await on.app.services.database.listen(TEMPLATE_CHANNEL, hear, () => undefined);
  await act();
  await on.sql('select pg_notify($1, $2)', [TEMPLATE_CHANNEL, 'end']);
  await end.promise;
  await unlisten();
  return heard.length;
}

const namesOf = (rows: readonly Shown[]) => rows.map(({ name, language, status }) => `${name} ${language} ${status}`);

describe('a synchronisation', () => {
  test('stores what the provider has, with the text and the number of its parameters', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    expect(await sync(connectionId)).toEqual({ result: 'WORKS', message: 'There are 3 templates.', total: 3 });
    const connection = { connectionId };
    const text = 'Your order {{1}} is on its way.';
    expect(await list()).toEqual([
      {
        name: 'order_sent',
        language: 'de',
        category: 'UTILITY',
        status: 'REJECTED',
        reason: 'INVALID_FORMAT',
        preview: text,
        parameterCount: 1,
        connection,
      },
      expect.objectContaining({
        name: 'order_sent',
        language: 'en_US',
        status: 'APPROVED',
        reason: null,
        preview: text,
      }),
      expect.objectContaining({ name: 'otp_code', preview: '*{{1}}* is your verification code.', connection }),
    ]);
    expect(graph.requests[0]?.headers['user-agent']).toMatch(/^Heliograph\/\d+\.\d+\.\d+$/);
  });

  test('takes in what changed, and forgets what is gone', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    const other = await startGraph({
      templates: [utilityTemplate('order_sent', { status: 'PAUSED' }), utilityTemplate('welcome')],
    });
    await configure(connectionId, graphConfig(other));
    await sync(connectionId);
    expect(namesOf(await list())).toEqual(['order_sent en_US PAUSED', 'welcome en_US APPROVED']);
  });

  test('reads every page', async () => {
    const many = Array.from({ length: 250 }, (_, index) => utilityTemplate(`order_${String(index).padStart(3, '0')}`));
    const full = await startGraph({ templates: many });
    expect(await sync(await connectGraph(on, full, customer.accountId))).toMatchObject({ total: 250 });
    expect(full.requests).toHaveLength(3);
    const pages: string[] = [];
    let after: string | null = null;
    do {
      const { data }: { data: PageData | null } = await on.graphql<PageData>(
        'query ($after: String) { cloudTemplates(first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }',
        { token: customer.tokens.management, variables: { after } },
      );
      pages.push(...(data?.cloudTemplates.nodes.map(({ name }) => name) ?? []));
      after = data?.cloudTemplates.pageInfo.hasNextPage ? data.cloudTemplates.pageInfo.endCursor : null;
    } while (after !== null);
    expect(pages).toEqual(many.map(({ name }) => name));
  });

  test('keeps what was known where the provider refuses, and says why', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    await configure(connectionId, { ...graphConfig(graph), accessToken: 'EAAG-another-one' });
    expect(await sync(connectionId)).toEqual({
      result: 'REFUSED',
      message: expect.stringMatching(/^Meta refused it with its error \d+: .*\. .+\.$/),
      total: null,
    });
    expect(await list()).toHaveLength(3);
  });

  test('says where nothing answers', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await graph.close();
    expect(await sync(connectionId)).toEqual({
      result: 'UNREACHABLE',
      message: expect.stringMatching(/^Nothing listens at 127\.0\.0\.1:\d+\./),
      total: null,
    });
  });

  test('is refused for a connection without templates, and for who is not the operator', async () => {
    const { businessAccountId: _, ...config } = graphConfig(graph);
    const connectionId = await connectGraph(on, graph, customer.accountId, { config });
    expect(await sync(connectionId)).toEqual([
      expect.stringMatching(/^INVALID_INPUT connectionId: is of a connection/),
    ]);
    expect(await sync('con_0')).toEqual([expect.stringMatching(/^NOT_FOUND/)]);
    expect(await sync(connectionId, customer.tokens.management)).toEqual([expect.stringMatching(/^WRONG_AREA/)]);
  });

  test('is done each hour for every connection, and one that fails holds up no other', async () => {
    const broken = await connectGraph(on, graph, null, {
      config: { ...graphConfig(graph), accessToken: 'EAAG-another-one' },
    });
    await connectGraph(on, graph, customer.accountId);
    await syncTemplatesJob.run(operator(), {});
    expect(await list()).toHaveLength(3);
    expect(await list({ connectionId: broken }, OPERATOR_TOKEN)).toEqual([]);
  });

  test('of a connection that is made or gets another config is done at once', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    expect(await takeJobs(connectionId)).toBe(1);
    await configure(connectionId, graphConfig(graph));
    expect(await takeJobs(connectionId)).toBe(0);
    await configure(connectionId, { ...graphConfig(graph), throughput: 50 });
    expect(await takeJobs(connectionId)).toBe(1);
    await syncTemplatesJob.run(operator(), { connectionId });
    expect(await list()).toHaveLength(3);
  });

  test('is asked for by no connection of a channel without templates', async () => {
    const gateway = await openHttpGateway();
    onTestFinished(() => gateway.close());
    const { connectionId } = await connectCarrier(on, customer.accountId, gateway);
    expect(await takeJobs(connectionId)).toBe(0);
  });

  test('announces what changed, and nothing where nothing did', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    expect(await announcedBy(() => sync(connectionId))).toBe(1);
    expect(await announcedBy(() => sync(connectionId))).toBe(0);
    const other = await startGraph({
      templates: [OTP_TEMPLATE, utilityTemplate('order_sent'), { ...GERMAN, status: 'APPROVED' }],
    });
    await configure(connectionId, graphConfig(other));
    expect(await announcedBy(() => sync(connectionId))).toBe(1);
    const fewer = await startGraph({ templates: [OTP_TEMPLATE] });
    await configure(connectionId, graphConfig(fewer));
    expect(await announcedBy(() => sync(connectionId))).toBe(1);
  });

  test('forgets the templates of a connection whose config names no business any more', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    const { businessAccountId: _, ...config } = graphConfig(graph);
    await configure(connectionId, config);
    expect(await announcedBy(() => syncTemplatesJob.run(operator(), { connectionId }))).toBe(1);
    expect(await list()).toEqual([]);
  });

  test('forgets the templates of connections that were removed', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    await on.graphql('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', {
      token: OPERATOR_TOKEN,
      variables: { id: connectionId },
    });
    await syncTemplatesJob.run(operator(), {});
    expect(
      await on.sql(
        'select 1 from cloud_templates t join connections c on c.id = t.connection_id and c.removed_at is not null',
      ),
    ).toEqual([]);
  });
});

describe('the list', () => {
  test('is narrowed by each part of its filter', async () => {
    await sync(await connectGraph(on, graph, customer.accountId));
    expect(namesOf(await list({ name: 'der_s' }))).toEqual(['order_sent de REJECTED', 'order_sent en_US APPROVED']);
    expect(await list({ name: 'r%s' })).toEqual([]);
    expect(namesOf(await list({ language: 'de' }))).toEqual(['order_sent de REJECTED']);
    expect(namesOf(await list({ status: 'rejected' }))).toEqual(['order_sent de REJECTED']);
    expect(namesOf(await list({ category: 'AUTHENTICATION' }))).toEqual(['otp_code en_US APPROVED']);
  });

  test('fills the text by the components of a send', async () => {
    await sync(await connectGraph(on, graph, customer.accountId));
    const { data } = await on.graphql<{ cloudTemplates: { nodes: { preview: string }[] } }>(
      `query ($components: [JSONObject!]) { cloudTemplates(filter: { name: "order_sent", language: "en_US" }) {
        nodes { preview(components: $components) } } }`,
      {
        token: customer.tokens.management,
        variables: { components: [{ type: 'body', parameters: [{ type: 'text', text: '1042' }] }] },
      },
    );
    expect(data?.cloudTemplates.nodes).toEqual([{ preview: 'Your order 1042 is on its way.' }]);
  });

  test('shows those of shared connections to accounts without connections of their own alone', async () => {
    const shared = await connectGraph(on, graph, null, { name: 'Shared' });
    await sync(shared);
    expect(await list({ connectionId: shared })).toHaveLength(3);
    await connectGraph(on, graph, customer.accountId);
    expect(await list()).toEqual([]);
    expect(await list({ connectionId: shared })).toEqual([]);
  });

  test('shows nobody those of another account', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    const other = await on.customer();
    await connectGraph(on, graph, other.accountId);
    expect(await list({ connectionId }, other.tokens.management)).toEqual([]);
    expect(await list({ connectionId }, OPERATOR_TOKEN)).toHaveLength(3);
  });
});

describe('news of a provider', () => {
  const told = { name: 'order_sent', language: 'en_US', reason: null, toldAt: null };

  test('change what is known', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    await noteTemplates(operator(), { id: connectionId }, [{ ...told, status: 'PAUSED', reason: 'LOW_QUALITY' }]);
    expect(await list({ status: 'PAUSED' })).toMatchObject([{ name: 'order_sent', reason: 'LOW_QUALITY' }]);
    await noteTemplates(operator(), { id: connectionId }, [{ ...told, status: 'REINSTATED', reason: 'NONE' }]);
    expect(await list({ language: 'en_US', name: 'order' })).toMatchObject([{ status: 'APPROVED', reason: null }]);
    await noteTemplates(operator(), { id: connectionId }, [{ ...told, status: 'DELETED' }]);
    expect(namesOf(await list({ name: 'order' }))).toEqual(['order_sent de REJECTED']);
  });

  test('are newer than what a synchronisation reads that began before them', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await sync(connectionId);
    const waits = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    graph.say(response => {
      asked.resolve();
      const data = [{ ...utilityTemplate('order_sent'), id: '1' }];
      void waits.promise.then(() => response.writeHead(200).end(JSON.stringify({ data })));
    });
    const syncing = sync(connectionId);
    await asked.promise;
    await noteTemplates(operator(), { id: connectionId }, [{ ...told, status: 'PAUSED' }]);
    waits.resolve();
    await syncing;
    expect(namesOf(await list())).toEqual(['order_sent en_US PAUSED']);
  });

  test('of a template that is not known let the provider be asked', async () => {
    const connectionId = await connectGraph(on, graph, customer.accountId);
    await takeJobs(connectionId);
    await noteTemplates(operator(), { id: connectionId }, [{ ...told, name: 'welcome', status: 'APPROVED' }]);
    expect(await takeJobs(connectionId)).toBe(1);
    await syncTemplatesJob.run(operator(), { connectionId });
    expect(await list()).toHaveLength(3);
  });
});

interface PageData {
  readonly cloudTemplates: {
    readonly nodes: readonly Shown[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

test('the fake is asked for the account of the config', async () => {
  await sync(await connectGraph(on, graph, customer.accountId));
  expect(graph.requests.map(({ path }) => path)).toEqual([
    `/v26.0/${GRAPH_NUMBER.businessAccountId}/message_templates`,
  ]);
});
