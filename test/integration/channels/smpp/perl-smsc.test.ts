import { describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { type OpenProvider, openProvider } from '../../../support/smpp/open-provider.ts';
import { missing, type PerlSmsc, startPerlSmsc } from '../../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl']);

/** The provider's id of an accepted send, or the kind of another outcome. */
const idOf = (outcome: SendOutcome): string => (outcome.kind === 'accepted' ? outcome.providerMessageId : outcome.kind);

describe.skipIf(absent !== null)('an SMSC by the codec of Net::SMPP', () => {
  test('binds, and unbinds at the end', async () => {
    await using smsc = await startPerlSmsc();
    const open = openProvider({ port: smsc.port });
    expect(await open.link(true)).toEqual({ isUp: true, error: null });
    expect(await smsc.matching(/^bind /, 1)).toEqual(['bind 9 0']);
    await open.provider.close?.();
    await smsc.line(/^unbind$/);
    expect(open.links).toEqual([{ isUp: true, error: null }]);
    expect(await open.send()).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
  });

  test('refuses a wrong password, and is not asked again', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port, password: 'wrong', sessions: 4 });
    expect(await open.link(false)).toMatchObject({
      isUp: false,
      error: 'The SMSC refused the bind (ESME_RINVPASWD). Check the password.',
    });
    expect(await open.send()).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
    expect(await smsc.matching(/^bind /, 1)).toEqual(['bind 9 14']);
  });

  test.each([
    ['0', { status: 'delivered', errorCode: null, errorMessage: null }],
    ['4', { status: 'delivered', errorCode: null, errorMessage: null }],
    ['5', { status: 'failed', errorCode: '011', errorMessage: 'The SMSC reports UNDELIV.' }],
    ['6', { status: 'expired', errorCode: '001', errorMessage: 'The SMSC reports EXPIRED.' }],
    ['7', { status: 'failed', errorCode: '021', errorMessage: 'The SMSC reports REJECTD.' }],
  ] as const)('reports what became of a text to …%s', async (digit, expected) => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const outcome = await open.send({ to: `49170123456${digit}` });
    const [submit] = await smsc.submitted(1);
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: submit?.id });
    expect(await open.reported(1)).toEqual([{ providerMessageId: idOf(outcome), attemptId: undefined, ...expected }]);
  });

  test('throttles', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const outcome = await open.send({ to: '491701234568' });
    expect(outcome).toEqual({
      kind: 'throttled',
      code: 'esme_rthrottled',
      message: 'The SMSC answered ESME_RTHROTTLED.',
      retryAfterMs: 1_000,
    });
    expect(await smsc.submitted(1)).toHaveLength(1);
  });

  test('accepts without a receipt', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    expect(await open.send({ to: '491701234569' })).toMatchObject({ kind: 'accepted' });
    // Of two texts, the later one's receipt is the first to come.
    const later = await open.send({ to: '491701234560' });
    expect((await open.reported(1)).map(({ providerMessageId }) => providerMessageId)).toEqual([idOf(later)]);
  });

  test.each(['hexToDec', 'decToHex'])('knows its ids again by %s', async receiptIds => {
    await using smsc = await startPerlSmsc(receiptIds);
    await using open = openProvider({ port: smsc.port, receiptIds });
    await open.link(true);
    const outcome = await open.send();
    const [submit] = await smsc.submitted(1);
    expect(idOf(outcome)).toBe(submit?.id.toLowerCase());
    expect((await open.reported(1)).map(({ providerMessageId }) => providerMessageId)).toEqual([idOf(outcome)]);
  });

  test('is told how long a text is worth anything', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    await open.send({ validitySeconds: 600 });
    const [submit] = await smsc.submitted(1);
    expect(submit?.validity).toBe('000000001000000R');
  });

  test('takes the parts of a long text in order, and reports each', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port, sessions: 3 });
    await open.link(true);
    const text = `${'a'.repeat(152)}€${'b'.repeat(152)}`;
    const outcome = await open.send({ text });
    const submits = await smsc.submitted(3);
    expect(outcome).toEqual({
      kind: 'accepted',
      providerMessageId: submits[0]?.id,
      partIds: submits.map(({ id }) => id),
    });
    expect(submits.map(({ message }) => message.subarray(0, 3).toString('hex'))).toEqual(Array(3).fill('050003'));
    expect(submits.map(({ message }) => [message[4], message[5], message.length])).toEqual([
      [3, 1, 158],
      [3, 2, 159],
      [3, 3, 7],
    ]);
    expect(new Set((await open.reported(3)).map(report => report.providerMessageId))).toEqual(
      new Set(submits.map(({ id }) => id)),
    );
  });

  test('with separate binds sends by one and reports by the other', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port, bind: 'separate' });
    await open.link(true);
    expect(await open.send()).toMatchObject({ kind: 'accepted' });
    expect((await smsc.matching(/^bind /, 2)).toSorted()).toEqual(['bind 1 0', 'bind 2 0']);
  });

  test('killed in flight loses nothing of 10,000 texts, and doubles nothing', async () => {
    await using smsc = await startPerlSmsc();
    await using open = openProvider({ port: smsc.port, window: 100 });
    const kills = [2_000, 5_000, 8_000];
    const sent = sendAll(open, 10_000, done => {
      if (done >= (kills[0] ?? Infinity)) {
        kills.shift();
        killConnection(smsc);
      }
    });
    const outcomes = await Promise.race([sent, smsc.broken]);
    expect(kills).toEqual([]);
    expect(outcomes.size).toBe(10_000);
    const kinds = new Set([...outcomes.values()].map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['accepted', 'unknown']));
    const accepted = [...outcomes].filter(([, { kind }]) => kind === 'accepted');
    // Of texts whose fate is unknown some were submitted too: their lines may come before those of accepted ones.
    const missing = async (): Promise<number> => {
      const told = new Set((await smsc.submitted(accepted.length)).map(({ destination }) => destination));
      return accepted.filter(([to]) => !told.has(to)).length;
    };
    await expect.poll(missing).toBe(0);
    const submits = await smsc.submitted(accepted.length);
    // None was submitted twice, and each is one that we say that the SMSC has, or may have.
    const idsOf = new Map(submits.map(({ destination, id }) => [destination, id]));
    expect(idsOf.size).toBe(submits.length);
    for (const to of idsOf.keys()) expect(outcomes.has(to)).toBe(true);
    for (const [to, outcome] of accepted) expect(idOf(outcome)).toBe(idsOf.get(to));
    // Unknown sends were in the window when their session ended.
    expect(10_000 - accepted.length).toBeLessThanOrEqual(3 * 100);
    expect(open.links.filter(({ isUp }) => isUp)).toHaveLength(4);
  });
});

/** Sends texts by 200 callers, each again while nothing of it was sent; answers the last outcome of each by its recipient. */
async function sendAll(
  open: OpenProvider,
  count: number,
  onDone: (done: number) => void,
): Promise<Map<string, SendOutcome>> {
  const outcomes = new Map<string, SendOutcome>();
  let next = 0;
  const call = async (): Promise<void> => {
    while (next < count) {
      const to = `4917${String(next++).padStart(8, '0')}0`;
      for (;;) {
        const outcome = await open.send({ to });
        if (outcome.kind === 'accepted' || outcome.kind === 'unknown') {
          outcomes.set(to, outcome);
          break;
        }
        await open.link(true);
      }
      onDone(outcomes.size);
    }
  };
  await Promise.all(Array.from({ length: 200 }, call));
  return outcomes;
}

/** Kills the process that serves the connection that was made last. */
function killConnection(smsc: PerlSmsc): void {
  const pid = smsc.lines.findLast(line => line.startsWith('connection '))?.split(' ')[1];
  process.kill(Number(pid), 'SIGKILL');
}
