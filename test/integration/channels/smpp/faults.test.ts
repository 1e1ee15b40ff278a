import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { SUPPRESSED } from '../../../../src/modules/suppressions/refuse-suppressed.ts';
import { freePort } from '../../../support/processes/free-ports.ts';
import { openProvider } from '../../../support/smpp/open-provider.ts';
import {
  answerTo,
  delivery,
  type Heard,
  ID,
  obliging,
  pdu,
  receipt,
  type SmscConnection,
  startScriptedSmsc,
} from '../../../support/smpp/scripted-smsc.ts';

const DELIVER_ANSWER = 0x80000000 + ID.deliver;
const GOODBYE = 0x80000000 + ID.unbind;

const swallow = (): void => undefined;
const kinds = (outcomes: readonly SendOutcome[]) => outcomes.map(({ kind }) => kind);

describe('an SMSC that is away', () => {
  test('is no fault of who creates the provider, and is used when it comes', async () => {
    const port = await freePort();
    await using open = openProvider({ port, responseTimeoutMs: 500 });
    const down = await open.link(false);
    expect(down.error).toBe(`Nothing listens at 127.0.0.1:${port}. Check the port, and that the provider is up.`);
    expect(down.retriesAtMs).toBeGreaterThan(performance.now());
    expect(await open.send()).toEqual({
      kind: 'unavailable',
      code: 'not_bound',
      message: 'No session with the SMSC is open.',
    });
    const server = createServer(socket => {
      socket.once('data', () => socket.write(pdu(0x80000009, 1, 'SMSC\0')));
    }).listen(port, '127.0.0.1');
    await open.link(true);
    server.close();
  });

  test('whose name is not known is down', async () => {
    await using open = openProvider({ host: 'smsc.invalid', port: 2775 });
    expect((await open.link(false)).error).toMatch(/smsc\.invalid/);
  });

  test('that does not answer the first bind is waited for a second', async () => {
    await using smsc = await startScriptedSmsc({ [ID.bind]: swallow });
    await using open = openProvider({ port: smsc.port });
    const startedMs = performance.now();
    expect(await open.send()).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
    expect(performance.now() - startedMs).toBeGreaterThan(900);
    expect(open.links).toEqual([]);
  });

  test('is let go by a provider that is closed while it connects', async () => {
    await using smsc = await startScriptedSmsc({ [ID.bind]: swallow });
    const open = openProvider({ port: smsc.port });
    const { socket } = await smsc.connection(0);
    const sent = open.send();
    const closed = once(socket, 'close');
    await open.provider.close?.();
    await closed;
    expect(await sent).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
  });
});

describe('an SMSC that refuses the receiver of separate binds', () => {
  test('gets texts, and the gateway is told that it hears nothing and why', async () => {
    await using smsc = await startScriptedSmsc({
      [ID.bindTransmitter]: (heard, { write }) => write(answerTo(heard, 'SMSC\0')),
      [ID.bindReceiver]: (heard, { write }) => write(answerTo(heard, '', 0x0d)),
    });
    await using open = openProvider({ port: smsc.port, bind: 'separate' });
    expect(await open.deaf()).toMatch(/^The SMSC refused the bind \(ESME_RBINDFAIL\)\. Check .* how many sessions/);
    expect(open.links).toEqual([{ isUp: true, error: null }]);
    expect(await open.send()).toMatchObject({ kind: 'accepted' });
  });
});

describe('a session', () => {
  test('is bound with what the config says', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port, systemType: 'VMA' });
    await open.link(true);
    const [bind] = await (await smsc.connection(0)).of(ID.bind, 1);
    expect(bind?.body.toString('latin1')).toBe('gateway\0secret\0VMA\0\x34\0\0\0');
  });

  test('that falls silent is found out, ended, and opened anew', async () => {
    await using smsc = await startScriptedSmsc({ [ID.enquire]: swallow, [ID.submit]: swallow });
    await using open = openProvider({ port: smsc.port, enquireLinkMs: 1_000, responseTimeoutMs: 500 });
    await open.link(true);
    expect(await open.link(false)).toMatchObject({
      isUp: false,
      error: 'The SMSC did not answer an enquire_link in time.',
    });
    await open.link(true);
    expect(smsc.connections).toHaveLength(2);
  });

  test('that swallows submits is found out by the first, not by the silence', async () => {
    await using smsc = await startScriptedSmsc({ [ID.enquire]: swallow, [ID.submit]: swallow });
    await using open = openProvider({ port: smsc.port, responseTimeoutMs: 500 });
    await open.link(true);
    const sent = Array.from({ length: 15 }, () => open.send());
    expect(kinds(await Promise.all(sent.slice(0, 10)))).toEqual(Array(10).fill('unknown'));
    await open.link(false);
    // The others were sent into the window that the first left, and broken off with the session.
    expect(kinds(await Promise.all(sent.slice(10)))).toEqual(Array(5).fill('unknown'));
    expect(await (await smsc.connection(0)).of(ID.submit, 15)).toHaveLength(15);
  });

  test('that is broken off ends what is in flight as unknown, and what waits as not sent', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: swallow });
    await using open = openProvider({ port: smsc.port, window: 3 });
    await open.link(true);
    const sent = Array.from({ length: 5 }, () => open.send());
    const connection = await smsc.connection(0);
    await connection.of(ID.submit, 3);
    connection.socket.resetAndDestroy();
    expect((await Promise.all(sent)).map(({ kind, ...rest }) => [kind, 'code' in rest && rest.code])).toEqual([
      ...Array(3).fill(['unknown', 'connection_broken']),
      ...Array(2).fill(['unavailable', 'not_bound']),
    ]);
    expect(connection.heard.filter(({ id }) => id === ID.submit)).toHaveLength(3);
  });

  test('that is unbound by the SMSC says goodbye, and is opened anew', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const connection = await smsc.connection(0);
    connection.write(pdu(ID.unbind, 77));
    const [answer] = await connection.of(0x80000000 + ID.unbind, 1);
    expect(answer).toMatchObject({ sequence: 77, status: 0 });
    expect(await open.link(false)).toMatchObject({ error: 'The SMSC unbound the session.' });
    await open.link(true);
  });

  test('that is unbound by the SMSC takes the answers behind that, and no submit', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: swallow });
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const sent = Array.from({ length: 12 }, () => open.send());
    const { of, write, heard } = await smsc.connection(0);
    const submits = await of(ID.submit, 10);
    write(pdu(ID.unbind, 77), ...submits.slice(1).map(submit => answerTo(submit, `s${submit.sequence}\0`)));
    expect(kinds(await Promise.all(sent.slice(1, 10)))).toEqual(Array(9).fill('accepted'));
    await open.link(false);
    expect(await Promise.all([...sent.slice(10), open.send()])).toMatchObject(Array(3).fill({ code: 'not_bound' }));
    write(answerTo(submits[0] as Heard, 'last\0'));
    expect(await sent[0]).toMatchObject({ kind: 'accepted', providerMessageId: 'last' });
    await of(GOODBYE, 1);
    expect(heard.map(({ id }) => id)).toEqual([ID.bind, ...Array(10).fill(ID.submit), GOODBYE]);
  });

  test('that is unbound by the SMSC waits no longer than for an answer', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: swallow });
    const stored = Promise.withResolvers<void>();
    await using open = openProvider({ port: smsc.port, responseTimeoutMs: 500 }, () => stored.promise);
    await open.link(true);
    const sent = open.send();
    const { of, write } = await smsc.connection(0);
    await of(ID.submit, 1);
    write(receipt(5, 'm1'), pdu(ID.unbind, 77));
    expect(await of(GOODBYE, 1)).toMatchObject([{ sequence: 77, status: 0 }]);
    expect(await sent).toMatchObject({ kind: 'unknown' });
    stored.resolve();
  });

  test('that is unbound by the SMSC says first that a text is stored, and takes none behind that', async () => {
    await using smsc = await startScriptedSmsc();
    const stored = Promise.withResolvers<void>();
    const hearing = Promise.withResolvers<void>();
    const hear = (): Promise<void> => {
      hearing.resolve();
      return stored.promise;
    };
    await using open = openProvider({ port: smsc.port }, undefined, hear);
    await open.link(true);
    const { of, write, heard } = await smsc.connection(0);
    write(delivery(5, 0, 'Hi'), pdu(ID.unbind, 77), delivery(6, 0, 'Later'));
    await hearing.promise;
    expect(await of(DELIVER_ANSWER, 1)).toMatchObject([{ sequence: 6, status: 0x64 }]);
    stored.resolve();
    await of(GOODBYE, 1);
    expect(heard.slice(1).map(({ sequence }) => sequence)).toEqual([6, 5, 77]);
    expect(heard[2]).toMatchObject({ id: DELIVER_ANSWER, status: 0 });
  });

  test.each([
    ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a PDU that is too short', Buffer.from('00000002', 'hex')],
    ['a PDU that is too long', Buffer.from('7fffffff', 'hex')],
    ['a body that does not fit', pdu(ID.deliver, 1, 'no end')],
  ])('in which comes %s is ended, after what came whole before', async (_what, garbage) => {
    const usual = obliging();
    await using smsc = await startScriptedSmsc({
      [ID.submit](heard, connection) {
        const count = connection.heard.filter(({ id }) => id === ID.submit).length;
        if (count === 1) usual(heard, connection);
        if (count === 2) connection.write(answerTo(heard, 'last\0'), garbage);
      },
    });
    await using open = openProvider({ port: smsc.port, window: 3 });
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => open.send()));
    expect(outcomes).toMatchObject([
      { kind: 'accepted', providerMessageId: 'm1' },
      { kind: 'accepted', providerMessageId: 'last' },
      { kind: 'unknown', code: 'connection_broken' },
    ]);
    await open.link(false);
  });

  test('answers what it is asked, and what it does not know', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    // A query_sm, an alert_notification, which has no answer, an answer to nothing, and a question whether we are there.
    write(pdu(0x03, 5, 'x\0'), pdu(0x102, 6), pdu(0x80000004, 99, 'late\0'), pdu(0x800000ff, 98), pdu(ID.enquire, 7));
    expect(await of(0x80000000 + ID.enquire, 1)).toMatchObject([{ sequence: 7, status: 0 }]);
    expect(await of(ID.nack, 1)).toMatchObject([{ sequence: 5, status: 3 }]);
  });

  test('is read and answered one byte at a time', async () => {
    const usual = obliging();
    await using smsc = await startScriptedSmsc({
      [ID.submit](heard, connection) {
        const bytes: Buffer[] = [];
        usual(heard, { ...connection, write: (...pdus) => void bytes.push(...pdus) });
        writeSlowly(connection, Buffer.concat(bytes));
      },
    });
    await using open = openProvider({ port: smsc.port });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => open.send()));
    expect(kinds(outcomes)).toEqual(Array(10).fill('accepted'));
  });
});

describe('the window', () => {
  test('is never exceeded, and answers may come in any order', async () => {
    let underWay: Heard[] = [];
    let most = 0;
    await using smsc = await startScriptedSmsc({
      [ID.submit](heard, { write }) {
        underWay.push(heard);
        most = Math.max(most, underWay.length);
        if (underWay.length < 7) return;
        write(...underWay.toReversed().map(one => answerTo(one, `s${one.sequence}\0`)));
        underWay = [];
      },
    });
    await using open = openProvider({ port: smsc.port, window: 7 });
    const outcomes = await Promise.all(Array.from({ length: 70 }, (_, index) => open.send({ to: `4917${index}` })));
    const { heard } = await smsc.connection(0);
    const ids = heard
      .filter(({ id }) => id === ID.submit)
      .map(({ body, sequence }) => [recipientOf(body), `s${sequence}`]);
    expect(
      outcomes.map((outcome, index) => [`4917${index}`, 'providerMessageId' in outcome && outcome.providerMessageId]),
    ).toEqual(ids);
    expect(most).toBe(7);
  });

  test('that stays full makes a text wait, and then throttles it', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: swallow });
    await using open = openProvider({ port: smsc.port, window: 1 });
    await open.link(true);
    const first = open.send();
    expect(await open.send()).toMatchObject({ kind: 'throttled', code: 'window_full' });
    const connection = await smsc.connection(0);
    expect(connection.heard.filter(({ id }) => id === ID.submit)).toHaveLength(1);
    connection.socket.destroy();
    expect(await first).toMatchObject({ kind: 'unknown' });
  });

  test('lets nothing through that was given up while it waited', async () => {
    const held: Heard[] = [];
    await using smsc = await startScriptedSmsc({ [ID.submit]: heard => void held.push(heard) });
    await using open = openProvider({ port: smsc.port, window: 1 });
    await open.link(true);
    const first = open.send();
    const given = new AbortController();
    const second = open.send({ to: '4917999' }, given.signal);
    const third = open.send({ to: '4917333' });
    const { of, write } = await smsc.connection(0);
    const [one] = await of(ID.submit, 1);
    given.abort();
    // At once, so that the attempt has an outcome that says that nothing has left.
    expect((await second).kind).toBe('throttled');
    write(answerTo(one as Heard, 'm1\0'));
    expect(await first).toMatchObject({ kind: 'accepted' });
    const [, later] = await of(ID.submit, 2);
    expect(recipientOf((later as Heard).body)).toBe('4917333');
    write(answerTo(later as Heard, 'm2\0'));
    expect(await third).toMatchObject({ kind: 'accepted' });
  });

  test('lets nothing through whose person has stopped while it waited, and leaves its room to the next one', async () => {
    const held: Heard[] = [];
    await using smsc = await startScriptedSmsc({ [ID.submit]: heard => void held.push(heard) });
    await using open = openProvider({ port: smsc.port, window: 1 });
    await open.link(true);
    let stopped: typeof SUPPRESSED | null = null;
    const first = open.send({ refuse: () => stopped });
    const second = open.send({ to: '4917999', refuse: () => stopped });
    const third = open.send({ to: '4917333' });
    const { of, write } = await smsc.connection(0);
    const [one] = await of(ID.submit, 1);
    stopped = SUPPRESSED;
    write(answerTo(one as Heard, 'm1\0'));
    expect(await first).toMatchObject({ kind: 'accepted' });
    expect(await second).toEqual(SUPPRESSED);
    const [, later] = await of(ID.submit, 2);
    expect(recipientOf((later as Heard).body)).toBe('4917333');
    write(answerTo(later as Heard, 'm2\0'));
    expect(await third).toMatchObject({ kind: 'accepted' });
  });

  test('is shared out over sessions', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: swallow });
    await using open = openProvider({ port: smsc.port, window: 2, sessions: 3 });
    await open.link(true);
    for (const index of [0, 1, 2]) await (await smsc.connection(index)).of(ID.bind, 1);
    const sent = Array.from({ length: 6 }, () => open.send());
    for (const index of [0, 1, 2]) expect(await (await smsc.connection(index)).of(ID.submit, 2)).toHaveLength(2);
    for (const { socket } of smsc.connections) socket.destroy();
    expect(kinds(await Promise.all(sent))).toEqual(Array(6).fill('unknown'));
  });
});

describe('the pace', () => {
  test('is that of the config', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port, throughput: 100 });
    await open.link(true);
    const startedMs = performance.now();
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => open.send()));
    expect(new Set(kinds(outcomes))).toEqual(new Set(['accepted']));
    // Two go at once.
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(575);
  });

  test('is broken by a throttled submit, for a second', async () => {
    const usual = obliging();
    const heardAtMs: number[] = [];
    await using smsc = await startScriptedSmsc({
      [ID.submit](heard, connection) {
        heardAtMs.push(performance.now());
        if (heardAtMs.length === 1) connection.write(answerTo(heard, '', 0x58));
        else usual(heard, connection);
      },
    });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send()).toMatchObject({ kind: 'throttled' });
    expect(await open.send()).toMatchObject({ kind: 'accepted' });
    expect((heardAtMs[1] ?? 0) - (heardAtMs[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('an SMSC that throttles for long is not flooded, and nothing is lost', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: (heard, { write }) => write(answerTo(heard, '', 0x58)) });
    await using open = openProvider({ port: smsc.port, window: 2 });
    await open.link(true);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => open.send()));
    expect(new Set(kinds(outcomes))).toEqual(new Set(['throttled']));
    const { heard } = await smsc.connection(0);
    // A windowful each second of the three that they wait.
    expect(heard.filter(({ id }) => id === ID.submit).length).toBeLessThanOrEqual(2 * 4);
  });
});

describe('at the end', () => {
  test('what is under way is answered before the goodbye, and what waits is not sent', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: swallow });
    const open = openProvider({ port: smsc.port, window: 1 });
    await open.link(true);
    const first = open.send();
    const second = open.send();
    const { of, write, heard } = await smsc.connection(0);
    const [submit] = await of(ID.submit, 1);
    const closed = open.provider.close?.();
    expect(await second).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
    expect(await open.send()).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
    write(answerTo(submit as Heard, 'm1\0'));
    expect(await first).toMatchObject({ kind: 'accepted' });
    await closed;
    expect(heard.map(({ id }) => id)).toEqual([ID.bind, ID.submit, ID.unbind]);
  });

  test('a receipt that is being stored is answered before the goodbye', async () => {
    await using smsc = await startScriptedSmsc();
    const stored = Promise.withResolvers<void>();
    const open = openProvider({ port: smsc.port }, () => stored.promise);
    await open.link(true);
    const { write, heard } = await smsc.connection(0);
    write(receipt(5, 'm1'));
    await open.reported(1);
    const closed = open.provider.close?.();
    stored.resolve();
    await closed;
    expect(heard.map(({ id }) => id)).toEqual([ID.bind, 0x80000000 + ID.deliver, ID.unbind]);
  });

  test('a text that comes is left to the SMSC, before the goodbye and behind it', async () => {
    const usual = obliging();
    await using smsc = await startScriptedSmsc({
      [ID.unbind](goodbye, connection) {
        connection.write(delivery(7, 0, 'Later'));
        usual(goodbye, connection);
      },
    });
    const stored = Promise.withResolvers<void>();
    const texts: unknown[] = [];
    const hear = async (messages: readonly unknown[]): Promise<void> => void texts.push(...messages);
    const open = openProvider({ port: smsc.port }, () => stored.promise, hear);
    await open.link(true);
    const { write, of, heard } = await smsc.connection(0);
    write(receipt(5, 'm1'));
    await open.reported(1);
    const closed = open.provider.close?.();
    write(delivery(6, 0, 'Hi'));
    await of(DELIVER_ANSWER, 1);
    stored.resolve();
    await closed;
    await of(DELIVER_ANSWER, 3);
    expect(heard.slice(1).map(({ id, sequence, status }) => id !== ID.unbind && [sequence, status])).toEqual([
      [6, 0x64],
      [5, 0],
      false,
      [7, 0x64],
    ]);
    expect(texts).toEqual([]);
  });

  test('an SMSC that does not say goodbye is left', async () => {
    await using smsc = await startScriptedSmsc({ [ID.unbind]: swallow });
    const open = openProvider({ port: smsc.port, responseTimeoutMs: 500 });
    await open.link(true);
    const { socket } = await smsc.connection(0);
    const ended = once(socket, 'close');
    await open.provider.close?.();
    await ended;
    // Nobody comes back.
    expect(smsc.connections).toHaveLength(1);
  });
});

/** Writes byte after byte, each by itself. */
function writeSlowly({ socket }: SmscConnection, bytes: Buffer): void {
  for (const byte of bytes) socket.write(Buffer.of(byte));
}

/** The recipient of a `submit_sm`: behind the service type, the sender's address and two numbers. */
function recipientOf(body: Buffer): string {
  const sender = body.indexOf(0) + 3;
  const start = body.indexOf(0, sender) + 3;
  return body.toString('latin1', start, body.indexOf(0, start));
}
