import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type CallOptions, Heliograph, HeliographError } from '../../../src/client/heliograph.ts';
import { serve } from '../../support/outbound/servers.ts';

/** A request as the gateway of these tests got it. */
interface Asked {
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly query: string; readonly variables: Record<string, unknown> };
}

/** The answer: a body with its status and headers; `break` ends the connection, `hang` never answers. */
type Answer = 'break' | 'hang' | Whole;

interface Whole {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const INPUT = { to: '+12025550100', text: 'Quiet harbour', sender: 'DEMO' };
const SENT = { body: { data: { result: { messageId: 'msg_1', status: 'SENT' } } } };

const refusal = (code: string, more: object = {}): Whole => ({
  body: { data: null, errors: [{ message: `refused: ${code}`, extensions: { code, ...more } }] },
});
const OVERLOADED = { body: { errors: [{ message: 'busy', extensions: { code: 'OVERLOADED', retryAfter: 0 } }] } };

/** A gateway that gives these answers in turn, the last one again and again, and a client of it. */
async function scripted(...answers: readonly Answer[]) {
  const asked: Asked[] = [];
  const peer = await serve(async (request, response) => {
    const body = JSON.parse(await text(request));
    asked.push({ headers: request.headers, body });
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? 'break';
    if (answer === 'hang') return;
    if (answer === 'break') return request.socket.destroy();
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  const url = `http://127.0.0.1:${peer.port}`;
  return { asked, url, client: new Heliograph({ url: `${url}/`, token: 'hg_uni_1', deadlineMs: 10_000 }) };
}

async function failureOf(call: Promise<unknown>): Promise<HeliographError> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HeliographError)) throw new Error('no HeliographError was thrown', { cause: error });
  return error;
}

const keyOf = ({ headers }: Asked): unknown => headers['idempotency-key'];

const CALLS: Readonly<Record<string, (client: Heliograph, options?: CallOptions) => Promise<unknown>>> = {
  sendMessage: (client, options) => client.sendMessage(INPUT, options),
  sendOtp: (client, options) => client.sendOtp({ to: INPUT.to }, options),
  resendOtp: (client, options) => client.resendOtp({ pinId: 'pin_1' }, options),
  verifyOtp: (client, options) => client.verifyOtp({ pinId: 'pin_1', pin: '123456' }, options),
  message: (client, options) => client.message('msg_1', options),
  messages: (client, options) => client.messages({}, options).next(),
  logs: (client, options) => client.logs({}, options).next(),
  'request of a query': (client, options) => client.request('{ balance { credits } }', {}, options),
  'request of a mutation': (client, options) =>
    client.request('fragment A on Otp { pinId } mutation { a }', {}, options),
};
const NAMES = Object.keys(CALLS);
const call = (name: string, client: Heliograph, options?: CallOptions) => CALLS[name]?.(client, options);
const REPEATED = ['sendMessage', 'message', 'messages', 'logs', 'request of a query'];

test('a document of two mutations that was begun is not sent again: one of them may be done, though `data` is null', async () => {
  const { client, asked } = await scripted(refusal('OVERLOADED', { retryAfter: 0 }));
  const error = await failureOf(client.request('mutation { a: createToken { id } b: createEndpoint { id } }'));
  expect([error.code, error.isBegun, asked.length]).toEqual(['overloaded', true, 1]);
});

test.each(['sendOtp', 'resendOtp', 'verifyOtp'])(
  '%s is repeated where its one mutation was refused once begun',
  async name => {
    const { client, asked } = await scripted(refusal('OVERLOADED', { retryAfter: 0 }), refusal('INVALID_INPUT'));
    const error = await failureOf(Promise.resolve(call(name, client)));
    expect([error.code, asked.length]).toEqual(['invalid_input', 2]);
  },
);

test.each(['sendOtp', 'verifyOtp', 'request of a mutation'])(
  'a database that went away may have kept what it was given: %s is not repeated',
  async name => {
    const { client, asked } = await scripted(refusal('DATABASE_UNAVAILABLE', { retryAfter: 0 }));
    const error = await failureOf(Promise.resolve(call(name, client)));
    expect([error.code, asked.length]).toEqual(['database_unavailable', 1]);
  },
);

test('an address with a password is refused, since errors name the address', () => {
  const make = () => new Heliograph({ url: 'https://user:word@gateway.example.com', token: 'hg_uni_1' });
  expect(make).toThrow('url must have no user and no password');
  expect(make).not.toThrow('word@');
});

test('a message is sent with the token, the input and a key of its own', async () => {
  const { client, asked } = await scripted(SENT);
  expect(await client.sendMessage(INPUT)).toEqual({ messageId: 'msg_1', status: 'SENT' });
  await client.sendMessage(INPUT);
  const [first, second] = asked;
  expect(first?.headers.authorization).toBe('Bearer hg_uni_1');
  expect(first?.body.variables).toEqual({ input: INPUT });
  expect(keyOf(first as Asked)).toMatch(/^[\da-f-]{36}$/);
  expect(keyOf(second as Asked)).not.toBe(keyOf(first as Asked));
});

test.each(['order-7', 'Заказ-5'])(
  'the reference %s of a message is its key, in the input of every try',
  async reference => {
    const { client, asked } = await scripted('break', SENT);
    await client.sendMessage({ ...INPUT, reference });
    const input = { ...INPUT, reference };
    expect(asked.map(({ body }) => body.variables)).toEqual([{ input }, { input }]);
    expect(asked.map(keyOf)).toEqual([undefined, undefined]);
  },
);

test.each(['localhost:4000', 'ftp://gateway.example.com', 'gateway'])('%s is no address of a gateway', url => {
  expect(() => new Heliograph({ url, token: 'hg_uni_1' })).toThrow('url must be the address of the gateway');
});

test('a message whose answers are lost is sent again with the same key, until one comes', async () => {
  const inFlight = refusal('REFERENCE_IN_FLIGHT', { retryAfter: 0 });
  const proxy = { status: 502, body: '<html>Bad gateway</html>' };
  const { client, asked } = await scripted('break', proxy, inFlight, SENT);
  expect(await client.sendMessage(INPUT)).toMatchObject({ messageId: 'msg_1' });
  expect(asked.length).toBe(4);
  expect(new Set(asked.map(keyOf)).size).toBe(1);
});

test.each(NAMES)('%s is tried again after the gateway did nothing', async name => {
  const limited = { status: 429, headers: { 'retry-after': '0' }, body: { code: 'rate_limited', message: 'wait' } };
  const found = { nodes: [], pageInfo: { hasNextPage: false } };
  const { client, asked } = await scripted(OVERLOADED, limited, { body: { data: { result: found } } });
  await call(name, client);
  expect(asked.length).toBe(3);
});

test.each(NAMES)('%s is tried again after a broken connection only where that is safe', async name => {
  const found = { nodes: [], pageInfo: { hasNextPage: false } };
  const { client, asked } = await scripted('break', { body: { data: { result: found } } });
  const outcome = await call(name, client)?.then(
    () => 'done',
    (error: HeliographError) => error.code,
  );
  const isRepeated = REPEATED.includes(name);
  expect({ outcome, tries: asked.length }).toEqual({
    outcome: isRepeated ? 'done' : 'unreachable',
    tries: isRepeated ? 2 : 1,
  });
});

test.each(['OTP_COOLDOWN', 'INSUFFICIENT_BALANCE', 'INTERNAL_ERROR', 'INVALID_INPUT'])(
  'a refusal by %s is final',
  async code => {
    const { client, asked } = await scripted(refusal(code, { retryAfter: 0 }));
    expect((await failureOf(client.sendMessage(INPUT))).code).toBe(code.toLowerCase());
    expect(asked.length).toBe(1);
  },
);

test('a wait that is longer than the deadline is not begun', async () => {
  const { client, asked } = await scripted(refusal('RATE_LIMITED', { retryAfter: 3_600 }));
  const error = await failureOf(client.sendMessage(INPUT));
  expect({ code: error.code, retryAfter: error.retryAfter }).toEqual({ code: 'rate_limited', retryAfter: 3_600 });
  expect(asked.length).toBe(1);
});

test('a wait is as long as the gateway asks for', async () => {
  const { client } = await scripted(refusal('OVERLOADED', { retryAfter: 1 }), SENT);
  const start = performance.now();
  await client.sendMessage(INPUT);
  expect(performance.now() - start).toBeGreaterThanOrEqual(1_000);
});

test('a call ends at its deadline, and tells the last failure', async () => {
  const { client } = await scripted('break', 'hang');
  const error = await failureOf(client.sendMessage(INPUT, { deadlineMs: 1_000 }));
  expect(error.code).toBe('timed_out');
  expect(error.cause).toMatchObject({ code: 'unreachable' });
});

test.each([1_500.5, 2 ** 31, Number.POSITIVE_INFINITY])(
  'a deadline of %d ms holds, over a second try too',
  async deadlineMs => {
    const { client, url } = await scripted(OVERLOADED, SENT, OVERLOADED, SENT);
    expect(await client.sendMessage(INPUT, { deadlineMs })).toMatchObject({ messageId: 'msg_1' });
    const patient = new Heliograph({ url, token: 'hg_uni_1', deadlineMs });
    expect(await patient.sendMessage(INPUT)).toMatchObject({ messageId: 'msg_1' });
  },
);

test.each([Number.NaN, -5, 0])('%d ms is no deadline, of a client or of a call', async deadlineMs => {
  const { client, asked } = await scripted(SENT);
  const fault = new TypeError('deadlineMs must be a number above 0; leave it out for the usual deadline');
  expect(() => new Heliograph({ url: 'http://127.0.0.1:4000', token: 'hg_uni_1', deadlineMs })).toThrow(fault);
  await expect(client.sendMessage(INPUT, { deadlineMs })).rejects.toThrow(fault);
  await expect(client.messages({}, { deadlineMs }).next()).rejects.toThrow(fault);
  expect(asked).toEqual([]);
});

test.each(['hang', refusal('OVERLOADED', { retryAfter: 5 })] as const)(
  'a signal ends a call at once, also in a wait: %j',
  async answer => {
    const { client, asked } = await scripted(answer);
    const controller = new AbortController();
    const reason = new Error('the user left');
    const sent = client.sendMessage(INPUT, { signal: controller.signal });
    await expect.poll(() => asked.length).toBe(1);
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
  },
);

test('a failure tells its code, its field, its request and its tries', async () => {
  const headers = { 'x-request-id': 'req_1' };
  const fault = { errors: [{ field: 'to', message: 'is no number' }] };
  const first = await scripted({ ...refusal('INVALID_INPUT', fault), headers });
  expect(await failureOf(first.client.sendMessage(INPUT))).toMatchObject({
    name: 'HeliographError',
    code: 'invalid_input',
    message: 'refused: INVALID_INPUT',
    field: 'to',
    requestId: 'req_1',
    retryAfter: null,
    attemptsRemaining: null,
  });
  const second = await scripted(refusal('OTP_INCORRECT', { attemptsRemaining: 4 }));
  expect(await failureOf(second.client.verifyOtp({ pinId: 'pin_1', pin: '1' }))).toMatchObject({
    code: 'otp_incorrect',
    attemptsRemaining: 4,
  });
});

test.each([
  ['a page of something else', { body: '<html>Welcome</html>' }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
  ['JSON of something else', { body: { hello: 'world' } }],
])('an answer that is none of a gateway is told: %s', async (_what, answer) => {
  const { client, asked } = await scripted(answer);
  expect(await failureOf(client.message('msg_1'))).toMatchObject({ code: 'unexpected_answer' });
  expect(asked.length).toBe(1);
});

test('a list is read page by page, as far as the loop goes', async () => {
  const page = (ids: readonly string[], endCursor: string | null) => ({
    body: {
      data: {
        result: { nodes: ids.map(id => ({ id })), pageInfo: { hasNextPage: endCursor !== null, endCursor } },
      },
    },
  });
  const { client, asked } = await scripted(page(['a', 'b'], 'x'), page([], 'y'), page(['c'], null));
  const entries = await client.logs({ channel: 'SMS' }).next();
  expect(entries.value).toEqual({ id: 'a' });
  expect(asked.length).toBe(1);
  const whole = await scripted(page(['a', 'b'], 'x'), page([], 'y'), page(['c'], null));
  const ids: string[] = [];
  for await (const { id } of whole.client.logs({ channel: 'SMS' })) ids.push(id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(whole.asked.map(({ body }) => body.variables)).toEqual(
    [null, 'x', 'y'].map(after => ({ first: 100, after, filter: { channel: 'SMS' } })),
  );
});

test.each([
  ['url', { url: 'gateway', token: 'hg_uni_1' }],
  ['token', { url: 'http://127.0.0.1:4000', token: 'hg_uni_1\n' }],
])('a client is not made with a bad %s', (name, options) => {
  expect(() => new Heliograph(options)).toThrow(new RegExp(`^${name} must be`));
});
