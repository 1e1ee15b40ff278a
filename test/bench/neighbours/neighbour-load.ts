/** `neighbour-load.ts <plan as JSON>`: asks for as much as one neighbour can until its time is over, and prints how it was answered as JSON. */
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, HttpSocket } from '../load/http-socket.ts';
import type { NeighbourPlan, NeighbourResult } from './kinds.ts';

// A neighbour asks from a machine of its own: what its load takes of this one is not what it costs others.
setPriority(constants.priority.PRIORITY_LOW);

const plan: NeighbourPlan = JSON.parse(process.argv[2] ?? '');
const endsAtMs = performance.now() + plan.seconds * 1_000;
const answers: Record<string, number> = {};

const isOver = (): boolean => performance.now() >= endsAtMs;

function count(what: string | number, times = 1): void {
  answers[what] = (answers[what] ?? 0) + times;
}

/** Counts an answer by its status, and by its code where it is a failure. */
function countAnswer({ status, body }: Answer): void {
  const code = /"code":"(\w+)"/.exec(body.toString('latin1'))?.[1];
  count(code === undefined ? status : `${status} ${code}`);
}

/** Asks again and again, and connects anew where the gateway has ended the connection. */
async function askOn(open: () => Promise<HttpSocket>, ask: (connection: HttpSocket) => Promise<void>): Promise<void> {
  while (!isOver()) {
    try {
      const connection = await open();
      while (!isOver()) await ask(connection);
      connection.close();
    } catch {
      count('broken');
      await wait(10);
    }
  }
}

const times = <Value>(number: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: number }, (_unused, index) => make(index));

const json = (value: object): string => JSON.stringify(value);

/** Each stranger has an address of 198.18.0.0/15, which is for benches (RFC 2544), and guesses at nobody's password. */
function signIn(index: number): Promise<void> {
  const from = { 'X-Forwarded-For': `198.18.${index >> 8}.${index & 255}` };
  const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
  let tries = 0;
  return askOn(
    () => HttpSocket.open(plan.url, null, from),
    async connection => {
      const input = { email: `stranger-${index}-${plan.runId}-${tries++}@example.com`, password: 'not the password' };
      countAnswer(await connection.post('/graphql', json({ query, variables: { input } })));
    },
  );
}

/** A page of the log after another, from the newest on, and again from there at its end. */
function exportLog(): Promise<void> {
  let after: string | null = null;
  return askOn(
    () => HttpSocket.open(plan.url, plan.token),
    async connection => {
      const request = { query: plan.document, operationName: 'LogPage', variables: { first: 200, after } };
      const answer = await connection.post('/graphql', json(request));
      countAnswer(answer);
      const cursor = /"endCursor":"([^"]+)"/.exec(answer.body.toString('latin1'))?.[1];
      if (answer.status === 200) after = cursor ?? null;
    },
  );
}

function report(): Promise<void> {
  const { origin, pathname } = new URL(plan.receiptsUrl ?? '');
  return askOn(
    () => HttpSocket.open(origin, null),
    async connection => {
      const attempt = plan.attemptIds?.[Math.floor(Math.random() * plan.attemptIds.length)];
      countAnswer(await connection.get(`${pathname}?attempt=${attempt}&status=D`));
    },
  );
}

/** One stream of the live log, again where it is refused or ends. */
async function stream(): Promise<void> {
  while (!isOver()) {
    await streamOnce().catch(() => count('broken'));
    if (!isOver()) await wait(200);
  }
}

/** A bare socket: 500 clients of HTTP would take a core of their own. */
async function streamOnce(): Promise<void> {
  const { hostname, port, host } = new URL(plan.url);
  const socket = connect(Number(port), hostname);
  const ended = new Promise<void>(resolve => socket.once('close', () => resolve()));
  socket.once('error', () => count('broken'));
  const body = json({ query: plan.document, operationName: 'LiveLog' });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${plan.token}\r\nAccept: text/event-stream\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let status = '';
  socket.on('data', bytes => {
    const text = bytes.toString('latin1');
    if (status === '') {
      status = text.slice(9, 12);
      count(status === '200' ? 'stream let in' : `stream refused by ${status}`);
      if (status !== '200') socket.destroy();
    }
    const events = text.split('event: next').length - 1;
    if (events > 0) count('event', events);
  });
  await Promise.race([ended, wait(endsAtMs - performance.now())]);
  socket.destroy();
}

/** The sends that the streams tell of, so many a second. */
async function sendOn(perSecond: number): Promise<void> {
  await askOn(
    () => HttpSocket.open(plan.url, plan.token),
    async connection => {
      const send = { to: '+12026000001', text: 'Hello', channels: ['sms'], sender: plan.sender };
      countAnswer(await connection.post('/api/omni/send', json(send)));
      await wait(1_000 / perSecond);
    },
  );
}

const WORK: Readonly<Record<NeighbourPlan['kind'], () => Promise<unknown>[]>> = {
  strangers: () => times(200, signIn),
  streams: () => [...times(500, stream), sendOn(5)],
  export: () => times(4, exportLog),
  receipts: () => times(64, report),
};

await Promise.race([Promise.all(WORK[plan.kind]()), wait((plan.seconds + 10) * 1_000)]);
const result: NeighbourResult = { answers };
process.stdout.write(JSON.stringify(result), () => process.exit(0));
