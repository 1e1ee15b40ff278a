import { afterEach, describe, expect, test, vi } from 'vitest';
import { dispatch, PROVIDER_DEADLINE_MS } from '../../../../src/channels/dispatch.ts';
import { openProvider, USUAL_REQUEST } from '../../../support/smpp/open-provider.ts';
import {
  answerTo,
  type Heard,
  ID,
  obliging,
  pdu,
  type Script,
  type SmscConnection,
  startScriptedSmsc,
} from '../../../support/smpp/scripted-smsc.ts';

const LONG = 'a'.repeat(400);

/** The report about the text of the attempt `att_7`, which the SMSC took too late as `m7`. */
const TAKEN_LATE = {
  providerMessageId: 'm7',
  attemptId: 'att_7',
  status: 'sent',
  errorCode: null,
  errorMessage: null,
};

/** Answers submits in turn by these statuses; then as usual. */
function inTurn(...statuses: readonly number[]): Script {
  const usual = obliging();
  const left = [...statuses];
  return (heard, connection) => {
    const status = left.shift() ?? 0;
    if (status === 0) usual(heard, connection);
    else connection.write(answerTo(heard, '', status));
  };
}

/** Stops the clock, which a test moves on by itself. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
}

/** Waits until the gateway has read all that was written so far: it answers in order. */
async function read({ of, write }: SmscConnection, questions: number): Promise<void> {
  write(pdu(ID.enquire, 1_000 + questions));
  await of(0x80000000 + ID.enquire, questions);
}

afterEach(() => void vi.useRealTimers());

describe('an answer to a submit', () => {
  test.each([
    ['esme_rthrottled', 0x58, 'throttled', { retryAfterMs: 1_000 }],
    ['esme_rmsgqful', 0x14, 'throttled', { retryAfterMs: 1_000 }],
    ['esme_rx_t_appn', 0x64, 'throttled', { retryAfterMs: 1_000 }],
    ['esme_rsyserr', 0x08, 'unavailable', {}],
    ['esme_rsubmitfail', 0x45, 'rejected', { isOwn: true }],
    ['esme_rinvsrcadr', 0x0a, 'rejected', { isOwn: true }],
    ['esme_rsertypunauth', 0x100, 'rejected', { isOwn: true }],
    ['esme_rprohibited', 0x101, 'rejected', { isOwn: true }],
    ['esme_rsertypdenied', 0x103, 'rejected', { isOwn: true }],
    ['esme_rinvdstadr', 0x0b, 'rejected', {}],
    ['esme_rinvmsglen', 0x01, 'rejected', {}],
    ['esme_rinvesmclass', 0x43, 'rejected', {}],
    ['esme_rinvdcs', 0x104, 'rejected', {}],
    ['0x000004ff', 0x4ff, 'rejected', { isOwn: true }],
  ])('that is %s', async (code, status, kind, more) => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(status) });
    await using open = openProvider({ port: smsc.port });
    const outcome = await open.send();
    expect(outcome).toEqual({ kind, code, message: expect.stringMatching(/^The SMSC answered \S+\.$/), ...more });
    expect(smsc.connections).toHaveLength(1);
  });

  test('that says that we are not bound ends the session, which is bound anew', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(0x04) });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send()).toMatchObject({ kind: 'unavailable', code: 'esme_rinvbndsts' });
    expect(await open.link(false)).toMatchObject({ isUp: false, error: 'The SMSC answered ESME_RINVBNDSTS.' });
    await open.link(true);
    expect(await open.send()).toMatchObject({ kind: 'accepted' });
  });

  test('that is a generic_nack is a refusal', async () => {
    await using smsc = await startScriptedSmsc({
      [ID.submit]: ({ sequence }, { write }) =>
        write(answerTo({ id: ID.nack, sequence, status: 0, body: Buffer.of() }, '', 3)),
    });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send()).toMatchObject({ kind: 'rejected', code: 'esme_rinvcmdid', isOwn: true });
  });

  test('without an id is an acceptance by the id of the attempt', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: (heard, { write }) => write(answerTo(heard, '\0')) });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send({ attemptId: 'att_7' })).toEqual({ kind: 'accepted', providerMessageId: 'att_7' });
  });

  test('to another question ends the session', async () => {
    await using smsc = await startScriptedSmsc({
      [ID.submit]: ({ sequence }, { write }) =>
        write(answerTo({ id: ID.enquire, sequence, status: 0, body: Buffer.of() })),
    });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send()).toMatchObject({ kind: 'unknown', code: 'connection_broken' });
    expect(await open.link(false)).toMatchObject({ error: 'the SMSC sent enquire_link_resp for submit_sm_resp' });
  });

  test('that does not come makes the outcome unknown', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: () => undefined });
    await using open = openProvider({ port: smsc.port, responseTimeoutMs: 500 });
    expect(await open.send()).toEqual({
      kind: 'unknown',
      code: 'timeout',
      message: 'The SMSC did not answer in time.',
    });
    // The SMSC answers `enquire_link`, so the session stays.
    const connection = await smsc.connection(0);
    await connection.of(ID.enquire, 1);
    expect(open.links).toEqual([{ isUp: true, error: null }]);
  });

  test('that comes after its time is reported, so that receipts find the text by its id', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: () => undefined });
    await using open = openProvider({ port: smsc.port, responseTimeoutMs: 500 });
    expect(await open.send({ attemptId: 'att_7' })).toMatchObject({ kind: 'unknown', code: 'timeout' });
    const { of, write } = await smsc.connection(0);
    const [late] = await of(ID.submit, 1);
    write(answerTo(late as Heard, 'm7\0'));
    expect(await open.reported(1)).toEqual([TAKEN_LATE]);
  });

  test('that comes after the end of its attempt is reported too', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: () => undefined });
    await using open = openProvider({ port: smsc.port });
    const attempt = new AbortController();
    const outcome = open.send({ attemptId: 'att_7' }, attempt.signal);
    const { of, write } = await smsc.connection(0);
    const [late] = await of(ID.submit, 1);
    attempt.abort();
    write(answerTo(late as Heard, 'm7\0'));
    expect(await outcome).toMatchObject({ kind: 'accepted' });
    expect(await open.reported(1)).toEqual([TAKEN_LATE]);
  });

  test('to the first part that comes after the end of the attempt keeps the others back', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: () => undefined });
    await using open = openProvider({ port: smsc.port });
    const attempt = new AbortController();
    const outcome = open.send({ text: LONG }, attempt.signal);
    const connection = await smsc.connection(0);
    const [late] = await connection.of(ID.submit, 1);
    attempt.abort();
    connection.write(answerTo(late as Heard, 'm7\0'));
    expect(await outcome).toMatchObject({ kind: 'unknown', code: 'timeout' });
    await read(connection, 1);
    expect(connection.heard.filter(({ id }) => id === ID.submit)).toHaveLength(1);
    expect(open.groups).toEqual([]);
  });

  test.each([
    ['a refusal', 'Hello', 0x45],
    ['the first part of a text, whose others were never submitted', LONG, 0],
  ])('that comes after its time and is %s is not reported', async (_what, text, status) => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: () => undefined });
    await using open = openProvider({ port: smsc.port, responseTimeoutMs: 500 });
    expect(await open.send({ text })).toMatchObject({ kind: 'unknown', code: 'timeout' });
    const connection = await smsc.connection(0);
    const [late] = await connection.of(ID.submit, 1);
    connection.write(answerTo(late as Heard, 'm7\0', status));
    await read(connection, 1);
    expect(open.groups).toEqual([]);
  });

  test('is not waited for with an address that SMPP cannot carry', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    expect(await open.send({ from: 'Müller' })).toMatchObject({
      kind: 'rejected',
      code: 'invalid_address',
      isOwn: true,
    });
    await open.send();
    expect(await (await smsc.connection(0)).of(ID.submit, 1)).toHaveLength(1);
  });
});

describe('of a long text', () => {
  test('the parts have ids of their own', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    expect(await open.send({ text: LONG })).toEqual({
      kind: 'accepted',
      providerMessageId: 'm1',
      partIds: ['m1', 'm2', 'm3'],
    });
  });

  test.each([
    ['throttled', 0x58],
    ['rejected', 0x0b],
    ['unavailable', 0x08],
  ])('a first part that is %s is the outcome, and no other leaves', async (kind, status) => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(status) });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send({ text: LONG })).toMatchObject({ kind });
    expect(await (await smsc.connection(0)).of(ID.submit, 1)).toHaveLength(1);
  });

  test('a later part that is refused is reported as failed, and the text is accepted', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(0, 0x45) });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send({ attemptId: 'att_9', text: LONG })).toEqual({
      kind: 'accepted',
      providerMessageId: 'm1',
      partIds: ['m1', 'att_9.2', 'm2'],
    });
    expect(await open.reported(1)).toEqual([
      {
        providerMessageId: 'att_9.2',
        attemptId: 'att_9',
        status: 'failed',
        errorCode: 'esme_rsubmitfail',
        errorMessage: 'The SMSC answered ESME_RSUBMITFAIL.',
      },
    ]);
  });

  test('the report of a later part that was refused is stored again until that is done', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(0, 0x45) });
    let fails = 1;
    const receive = () => (fails-- > 0 ? Promise.reject(new Error('the database is away')) : Promise.resolve());
    await using open = openProvider({ port: smsc.port }, receive);
    await open.send({ attemptId: 'att_9', text: LONG });
    const reports = await open.reported(2);
    expect(reports.map(({ providerMessageId }) => providerMessageId)).toEqual(['att_9.2', 'att_9.2']);
  });

  test('a later part that is throttled is tried again', async () => {
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(0, 0x58) });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send({ text: LONG })).toEqual({
      kind: 'accepted',
      providerMessageId: 'm1',
      partIds: ['m1', 'm3', 'm2'],
    });
    expect(open.groups).toEqual([]);
  });

  test('a later part that is throttled while others are taken is tried until its turn comes', async () => {
    stopClock();
    // One of those that come at once is taken, as by an SMSC that takes one a second.
    const rounds = [7, 6, 5, 4, 3, 2, 1];
    const statuses = rounds.flatMap(parts => [0, ...Array<number>(parts - 1).fill(0x58)]);
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(0, ...statuses) });
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const sent = open.send({ text: 'a'.repeat(153 * 8) });
    const connection = await smsc.connection(0);
    let submits = 1;
    for (const [index, parts] of rounds.entries()) {
      submits += parts;
      await connection.of(ID.submit, submits);
      await read(connection, index + 1);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(await sent).toMatchObject({ partIds: ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8'] });
  });

  test('a later part that is throttled while none is taken is reported as failed after five tries', async () => {
    stopClock();
    await using smsc = await startScriptedSmsc({ [ID.submit]: inTurn(0, ...Array<number>(10).fill(0x58)) });
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const sent = open.send({ attemptId: 'att_9', text: LONG });
    const connection = await smsc.connection(0);
    for (const round of [1, 2, 3, 4, 5]) {
      await connection.of(ID.submit, 1 + 2 * round);
      await read(connection, round);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(await sent).toMatchObject({ partIds: ['m1', 'att_9.2', 'att_9.3'] });
    expect(await open.reported(2)).toMatchObject([{ errorCode: 'esme_rthrottled' }, { errorCode: 'esme_rthrottled' }]);
  });

  test('a later part without an answer leaves the text accepted, and nothing is said of it', async () => {
    const usual = obliging();
    await using smsc = await startScriptedSmsc({
      [ID.submit]: (heard, connection) => {
        if (connection.heard.filter(({ id }) => id === ID.submit).length === 1) usual(heard, connection);
      },
    });
    await using open = openProvider({ port: smsc.port, responseTimeoutMs: 500 });
    expect(await open.send({ attemptId: 'att_9', text: LONG })).toMatchObject({
      kind: 'accepted',
      partIds: ['m1', 'att_9.2', 'att_9.3'],
    });
    expect(open.groups).toEqual([]);
  });

  test('a later part without an answer at the end of the attempt leaves the text accepted, with the ids of the others', async () => {
    stopClock();
    const submits: Heard[] = [];
    await using smsc = await startScriptedSmsc({ [ID.submit]: heard => void submits.push(heard) });
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const sent = dispatch(open.provider, { ...USUAL_REQUEST, attemptId: 'att_9', text: LONG }, PROVIDER_DEADLINE_MS);
    const connection = await smsc.connection(0);
    await connection.of(ID.submit, 1);
    // The first answer takes its time, which the others have beyond the end of the attempt.
    await vi.advanceTimersByTimeAsync(100);
    connection.write(answerTo(submits[0] as Heard, 'm1\0'));
    await connection.of(ID.submit, 3);
    connection.write(answerTo(submits[1] as Heard, 'm2\0'));
    await read(connection, 1);
    await vi.advanceTimersByTimeAsync(PROVIDER_DEADLINE_MS - 100);
    expect(await sent).toEqual({ kind: 'accepted', providerMessageId: 'm1', partIds: ['m1', 'm2', 'att_9.3'] });
    // One that is refused later fails the text all the same.
    connection.write(answerTo(submits[2] as Heard, '', 0x45));
    expect(await open.reported(1)).toMatchObject([{ providerMessageId: 'att_9.3', status: 'failed' }]);
  });

  test('the later parts go before other texts, though the window is one', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port, window: 1 });
    await open.link(true);
    const outcomes = await Promise.all([open.send({ text: LONG }), open.send(), open.send()]);
    expect(outcomes).toMatchObject([
      { partIds: ['m1', 'm2', 'm3'] },
      { providerMessageId: 'm4' },
      { providerMessageId: 'm5' },
    ]);
  });
});
