import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Area } from '../../../../src/kernel/crypto/secrets.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { ROLES, type Role } from '../../../../src/kernel/role.ts';
import { type Customer, OPERATOR_TOKEN, restRequest } from '../../../support/app.ts';
import { openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { oncePerFile, setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { TOLD } from '../../../support/leaks/leak-scan.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { addPerson, openPage } from '../../../support/people/people.ts';
import { until } from '../../../support/processes/gateway.ts';

const TEXT = 'Dear Ada, your parcel waits at the third box, its door opens with B4X9Z2 until Friday';
const HALF = 'your parcel waits at the third box';
const WORDS = 'spam filter, ask your carrier';
const OURS = 'The provider answered 400.';

const on = setUpApp();
const customer = setUpCustomer(on);
const gateway = oncePerFile(openHttpGateway, gate => gate.close());
const pages: Partial<Record<Role, Record<string, string>>> = {};

/** Every way in which the provider of these tests quotes a half of the text. */
const QUOTES: Readonly<Record<string, string>> = {
  'word by word': HALF,
  'in other case and marks': HALF.toUpperCase().replaceAll(' ', ' - '),
  'percent-encoded': encodeURIComponent(HALF),
  'in a header of mail': `=?utf-8?B?${Buffer.from(HALF).toString('base64')}?=`,
  'as base64': Buffer.from(HALF).toString('base64'),
};

let quote = HALF;
let status = 400;

beforeAll(async () => {
  for (const role of ROLES) pages[role] = await openPage(on, await addPerson(on, customer.accountId, role));
  gateway.answerWith((_message, response) =>
    response.writeHead(status, { 'x-reason': encodeURIComponent(quote) }).end(`"${quote}": ${WORDS}`),
  );
  await connect(customer);
});

/** Connects the provider to an account, and answers the id of the connection. */
async function connect({ accountId }: Customer): Promise<string> {
  const config = { ...gateway.config, rejected: { status: [400] }, messageId: 'header:x-reason' };
  const input = { accountId, provider: 'http-sms', channel: 'SMS', name: 'Carrier', config };
  const made = await on.graphql<{ createConnection: { connectionId: string } }>(
    'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
    { token: OPERATOR_TOKEN, variables: { input } },
  );
  expect(made.errors).toBeNull();
  return made.data?.createConnection.connectionId ?? '';
}

const body = () => ({ to: `+${newRecipient()}`, text: TEXT, sender: 'ACME' });

/** Sends a text that the provider refuses, by a quote of it. */
async function refused(by = HALF): Promise<string> {
  quote = by;
  status = 400;
  const { body: answer } = await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body: body() });
  return String(answer.data?.messageId);
}

const FIELDS = (id: string) => `{
  message(id: "${id}") { attempts { errorCode errorMessage } timeline { kind reason errorCode errorMessage } }
  messages(first: 1) { nodes { attempts { errorMessage } timeline { reason errorMessage } } }
  logs(first: 1) { nodes { errorCode errorMessage } }
}`;

/** The values of the fields that hold a provider's words, anywhere in an answer. */
function saidIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, value]) =>
    typeof value !== 'string'
      ? saidIn(value)
      : name === 'errorMessage' || /carrier|provider/.test(value)
        ? [value]
        : [],
  );
}

describe('what a provider says', () => {
  test.each(Object.entries(QUOTES))('is stored without the half of the text that it quotes %s', async (_how, by) => {
    const id = await refused(by);
    const [row] = await on.sql<{ words: string }>('select error_message as words from attempts where message_id = $1', [
      toUuid(id),
    ]);
    expect(row?.words).toMatch(/^"[^ ]*…[^ ]*": spam filter, ask your carrier$/);
    const stored = await on.sql<{ row: string }>(`select row(a.*)::text as row from attempts a
      union all select row(e.*)::text from webhook_events e union all select row(c.*)::text from connections c`);
    for (const entry of stored) {
      for (const one of [by, HALF, 'parcel waits']) expect(entry.row.toLowerCase()).not.toContain(one.toLowerCase());
    }
  });

  test.each<[Role, string]>([
    ['owner', `"…": ${WORDS}`],
    ['developer', `"…": ${WORDS}`],
    ['viewer', OURS],
  ])('is shown to the role %s as %j, in every field', async (role, expected) => {
    const { data, errors } = await on.graphql(FIELDS(await refused()), { headers: pages[role] ?? {} });
    expect(errors).toBeNull();
    const said = saidIn(data);
    expect(said.length).toBeGreaterThanOrEqual(7);
    expect([...new Set(said.filter(words => !/chosen|took|Carrier/.test(words)))]).toEqual([expected]);
  });

  test.each<[Area, boolean]>([
    ['unified', true],
    ['sms', true],
    ['management', true],
    ['otp', false],
  ])('is shown to the area %s, which may read texts: %s', async (area, mayRead) => {
    const { data, errors } = await on.graphql(FIELDS(await refused()), { token: customer.tokens[area] });
    if (!mayRead) {
      expect(errors?.map(({ extensions }) => extensions.code)).toContain('WRONG_AREA');
      expect(JSON.stringify(data)).not.toContain('carrier');
      return;
    }
    expect(errors).toBeNull();
    expect(saidIn(data)).toContain(`"…": ${WORDS}`);
  });

  test('comes to a viewer who follows the log as our sentence', async () => {
    const request = restRequest('POST', '/graphql', {
      headers: { ...pages.viewer, accept: 'text/event-stream' },
      body: { query: 'subscription { logAdded { status errorCode errorMessage } }' },
    });
    const ends = new AbortController();
    onTestFinished(() => ends.abort());
    const response = await on.app.fetch(new Request(request, { signal: ends.signal }));
    await refused();
    let seen = '';
    for await (const chunk of response.body ?? []) {
      seen += Buffer.from(chunk).toString();
      if (/"FAILED"/.test(seen)) break;
    }
    expect(seen).toContain(`"errorCode":"http_400","errorMessage":"${OURS}"`);
    expect(seen).not.toContain('carrier');
  });

  test('stands in no health of a connection, and in no line of the process log', async () => {
    const other = await on.customer();
    const connectionId = await connect(other);
    quote = HALF;
    status = 503;
    await Promise.all(
      Array.from({ length: 12 }, () => on.rest('POST', '/api/sms/send', { token: other.tokens.sms, body: body() })),
    );
    const row = await until('it is down', async () => {
      const [found] = await on.sql<{ health: string; health_error: string }>(
        'select health, health_error from connections where id = $1',
        [toUuid(connectionId)],
      );
      return found?.health === 'down' ? found : null;
    });
    expect(row.health_error).toBe('The provider answered 503.');
    const half = { codes: new Set<string>(), lines: new Set([HALF]) };
    expect(TOLD.find(half)).toEqual([]);
  });
});
