import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idTime, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { LEASE_SECONDS } from '../../../src/modules/routing/send.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { newPhone, wrongCode } from '../../support/otp/pins.ts';
import { callRest, type OtpAnswer } from '../../support/otp/race.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import {
  ask,
  type Demo,
  type Gateway,
  operatorTokenOf,
  seedDemo,
  send,
  startGateway,
  until,
  untilRefused,
} from '../../support/processes/gateway.ts';
import { makeWrongClock, noWrongClock, type WrongClock } from '../../support/processes/wrong-clock.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

const TEN_MINUTES_S = 600;
const HOUR_S = 3_600;

/** How far a time may be from the database's (R9). */
const APART_S = 5;

/** The sandbox takes this one's messages after two seconds. */
const SLOW = '+12025550107';

/** More of the same with more time. */
const isLong = rounds({ usual: 1, long: 2 }) > 1;

describe.skipIf(noWrongClock !== null)('a gateway with a wrong clock beside one with the right one', () => {
  describePostgres('on one database', () => {
    let database: TestDatabase;
    let url: string;
    let right: Gateway;
    let demo: Demo;
    let operator: string;
    let receiver: Receiver;
    let begunMs: number;

    beforeAll(async () => {
      database = await createDatabase();
      if (database.kind !== 'postgres') return;
      url = database.url;
      begunMs = await databaseMs();
      // The other process does the due work.
      right = await startGateway({ databaseUrl: url, env: { ROLE: 'api', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
      [demo, operator, receiver] = await Promise.all([seedDemo(right), operatorTokenOf(right), startReceiver()]);
      await makeEndpoint({ url: right.url, demo }, receiver.url);
    });

    afterAll(async () => {
      right.kill('SIGTERM');
      await right.exited;
      await receiver.close();
      await database.drop();
    });

    async function databaseMs(): Promise<number> {
      const [row] = await runSql(url, 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
      return Number(row?.ms);
    }

    async function count(from: string): Promise<number> {
      const [row] = await runSql(url, `select count(*)::int as n from ${from}`);
      return Number(row?.n);
    }

    async function startWrong(fakes: 'wall' | 'both', aheadSeconds: number): Promise<[Gateway, WrongClock]> {
      const clock = await makeWrongClock(fakes, aheadSeconds);
      const env = { ...clock.env, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
      return [await startGateway({ databaseUrl: url, env }), clock];
    }

    const otp = (at: Gateway, path: 'send' | 'verify', body: object): Promise<OtpAnswer> =>
      callRest(at, demo.tokens.unified, `/api/omni/otp/${path}`, body);

    async function sentOtp(at: Gateway): Promise<{ to: string; pinId: string; code: string }> {
      const to = newPhone();
      const { code, pinId = '' } = await otp(at, 'send', { to });
      expect(code).toBe('sent');
      const recipient = to.slice(1);
      const [row] = await runSql(
        url,
        `select text from sandbox_messages where recipient = '${recipient}' order by id desc limit 1`,
      );
      return { to, pinId, code: /\b[0-9]{6}\b/.exec(String(row?.text))?.[0] ?? '' };
    }

    /** Expects an OTP to end in time by the database's clock; sent and verified by the gateway with the wrong clock. */
    async function expectOtpsToEndInTime(wrong: Gateway): Promise<void> {
      const endsIn = (pinId: string, seconds: number) =>
        runSql(
          url,
          `update otps set expires_at = clock_timestamp() + ${seconds} * interval '1 s' where id = '${toUuid(pinId)}'`,
        );
      const [live, over] = await Promise.all([sentOtp(wrong), sentOtp(wrong)]);
      await Promise.all([endsIn(live.pinId, 20), endsIn(over.pinId, 0)]);
      expect({
        wrongCode: (await otp(wrong, 'verify', { pinId: live.pinId, pin: wrongCode(live) })).code,
        inTime: (await otp(wrong, 'verify', { pinId: live.pinId, pin: live.code })).code,
        tooLate: (await otp(wrong, 'verify', { pinId: over.pinId, pin: over.code })).code,
        tooLateElsewhere: (await otp(right, 'verify', { pinId: over.pinId, pin: over.code })).code,
      }).toEqual({
        wrongCode: 'otp_incorrect',
        inTime: 'verified',
        tooLate: 'otp_expired',
        tooLateElsewhere: 'otp_expired',
      });
    }

    /** A recipient gets the next OTP when the cooldown is over by the database's clock, wherever it is asked for. */
    async function expectCooldownToHold(wrong: Gateway): Promise<void> {
      const { to } = await sentOtp(wrong);
      for (const gateway of [wrong, right]) {
        const refused = await otp(gateway, 'send', { to });
        expect(refused).toMatchObject({ code: 'otp_cooldown' });
        expect(refused.retryAfter).toBeGreaterThan(0);
        expect(refused.retryAfter).toBeLessThanOrEqual(60);
      }
      const ended = "jsonb_build_object('unified', clock_timestamp())";
      await runSql(url, `update otp_recipients set cooldowns = ${ended} where recipient = '${to.slice(1)}'`);
      expect(await otp(wrong, 'send', { to })).toMatchObject({ code: 'sent' });
    }

    async function expectRevokedTokenToEnd(wrong: Gateway): Promise<void> {
      const { createToken } = await ask<{ createToken: { secret: string; token: { tokenId: string } } }>(
        right,
        operator,
        'mutation ($id: String!) { createToken(input: { accountId: $id, area: UNIFIED }) { secret token { tokenId } } }',
        { id: demo.accountId },
      );
      expect((await send(wrong, createToken.secret)).status).toBe(200);
      await ask(right, operator, 'mutation ($id: String!) { revokeToken(tokenId: $id) { revokedAt } }', {
        id: createToken.token.tokenId,
      });
      expect(await untilRefused(wrong, createToken.secret)).toBeLessThan(1_000);
    }

    /** A session opens what it may until the database says that it is over. */
    async function expectSessionToEnd(wrong: Gateway): Promise<void> {
      const post = (query: string, variables: object, headers: Record<string, string> = {}) =>
        fetch(`${wrong.url}/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'sec-fetch-site': 'same-origin',
            origin: wrong.url,
            ...headers,
          },
          body: JSON.stringify({ query, variables }),
        });
      const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { session { sessionId } } }';
      const answer = await post(signIn, { input: demo.dashboard });
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      const { data } = (await answer.json()) as { data: { signIn: { session: { sessionId: string } } } };
      const isOpen = async (): Promise<boolean> => {
        const read = await post('{ messages(first: 1) { nodes { messageId } } }', {}, { cookie });
        return !('errors' in ((await read.json()) as object));
      };
      expect(await isOpen()).toBe(true);
      const id = toUuid(data.signIn.session.sessionId);
      await runSql(url, `update dashboard_sessions set expires_at = clock_timestamp() where id = '${id}'`);
      await until('the session is over', async () => ((await isOpen()) ? null : true));
    }

    /** One send, whatever happens while its provider takes two seconds: nobody else takes it, and it is dated when it was. */
    async function expectOneSend(wrong: Gateway, meanwhile: () => Promise<unknown>): Promise<string> {
      const arrivals = () => count(`sandbox_messages where recipient = '${SLOW.slice(1)}'`);
      const [before, sentMs] = [await arrivals(), await databaseMs()];
      const sending = send(wrong, demo.tokens.unified, { to: SLOW });
      const leaseS = await until('the send has its lease', async () => {
        const [row] = await runSql(
          url,
          `select extract(epoch from lease_until - clock_timestamp())::float8 as left_s from messages
           where recipient = '${SLOW.slice(1)}' and lease_until is not null`,
        );
        return row ? Number(row.left_s) : null;
      });
      // By the database's time, so that no process takes it before or waits for it after.
      expect(leaseS).toBeGreaterThan(0);
      expect(leaseS).toBeLessThanOrEqual(LEASE_SECONDS);
      await meanwhile();
      const { status, body } = await sending;
      const messageId = body.data?.messageId ?? '';
      expect([status, body.data?.status, await arrivals()]).toEqual([200, 'sent', before + 1]);
      const query = `query ($id: String!) { logs(filter: { messageId: $id }) { nodes { id status createdAt latencyMs } } }`;
      const { logs } = await ask<{
        logs: { nodes: { id: string; status: string; createdAt: string; latencyMs: number }[] };
      }>(right, demo.tokens.unified, query, { id: messageId });
      const [entry, ...more] = logs.nodes;
      expect([entry?.status, more]).toEqual([expect.stringMatching(/^(SENT|DELIVERED)$/), []]);
      for (const at of [Date.parse(entry?.createdAt ?? ''), +idTime(messageId), +idTime(entry?.id ?? '')])
        expect(Math.abs(at - sentMs) / 1_000).toBeLessThan(APART_S);
      expect(entry?.latencyMs).toBeGreaterThan(1_900);
      expect(entry?.latencyMs).toBeLessThan(20_000);
      return messageId;
    }

    /** A webhook is delivered, with a timestamp that is right. */
    async function expectWebhook(messageId: string): Promise<void> {
      const found = await until('the webhook has come', async () => {
        await count('webhook_tries');
        return receiver.received.find(({ body }) => body.includes(messageId)) ?? null;
      });
      const cameAtS = (performance.timeOrigin + found.atMs) / 1_000;
      for (const name of ['webhook-timestamp', 'x-service-timestamp'])
        expect(Math.abs(Number(found.headers[name]) - cameAtS), name).toBeLessThan(APART_S);
    }

    /** Rows and ids that are dated before the tests began, or later than now. */
    async function misdated(): Promise<Record<string, unknown>[]> {
      const [from, to] = [begunMs - APART_S * 1_000, (await databaseMs()) + APART_S * 1_000].map(ms => new Date(ms));
      if (!from || !to) throw new Error('there is no time');
      const isOff = (column: string) =>
        `${column} not between '${from.toISOString()}'::timestamptz and '${to.toISOString()}'::timestamptz`;
      const isIdOff = (column: string) => `${column} not between '${uuidFloor(from)}' and '${uuidFloor(to)}'`;
      const tables = {
        messages: [isIdOff('id'), isOff('created_at')],
        // The one that guesses at no pin are counted on has no place.
        "(select * from otps where recipient <> '')": [isIdOff('position'), isOff('created_at')],
        attempts: [isIdOff('id'), isOff('started_at'), isOff('finished_at')],
        sandbox_messages: [isIdOff('id')],
        webhook_events: [isIdOff('id'), isOff('created_at')],
        webhook_deliveries: [isIdOff('id')],
        webhook_tries: [isIdOff('id'), isOff('created_at')],
        audit_entries: [isIdOff('id')],
        tokens: [isIdOff('id'), isOff('created_at'), isOff('revoked_at')],
        routing_marks: [isIdOff('oldest')],
      };
      const wrong = Object.entries(tables).map(
        ([table, faults]) => `select to_jsonb(t) as row from ${table} t where ${faults.join(' or ')}`,
      );
      return runSql(url, wrong.join(' union all '));
    }

    async function expectAlive(wrong: Gateway): Promise<void> {
      for (const path of ['/healthz', '/readyz']) expect((await fetch(`${wrong.url}${path}`)).status, path).toBe(200);
    }

    /** All that must hold; `meanwhile` is done while a send waits for its provider. */
    async function expectAll(wrong: Gateway, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
      const messageId = await expectOneSend(wrong, meanwhile);
      await Promise.all([
        expectWebhook(messageId),
        expectOtpsToEndInTime(wrong),
        expectCooldownToHold(wrong),
        expectSessionToEnd(wrong),
      ]);
      await expectRevokedTokenToEnd(wrong);
      await expectAlive(wrong);
      expect(await misdated()).toEqual([]);
    }

    describe('whose wall clock alone is wrong', () => {
      let wrong: Gateway;
      let clock: WrongClock;

      beforeAll(async () => {
        if (database.kind === 'postgres') [wrong, clock] = await startWrong('wall', TEN_MINUTES_S);
      });

      afterAll(async () => {
        wrong.kill('SIGTERM');
        expect(await wrong.exited).toEqual({ code: 0, signal: null });
      });

      test.each([
        ['ten minutes fast', TEN_MINUTES_S],
        ['ten minutes slow', -TEN_MINUTES_S],
      ])('does all in time while it is %s', async (_how, aheadS) => {
        await clock.set(aheadS);
        await expectAll(wrong);
      });

      test.each([
        ['an hour forward', HOUR_S],
        ['an hour back', -HOUR_S],
      ])('does all in time while it steps %s', async (_how, byS) => {
        await clock.set(0);
        await expectAll(wrong, () => clock.set(byS));
      });

      test('says in the doctor how far it is off', async () => {
        await clock.set(TEN_MINUTES_S);
        const query = '{ doctor { findings { name status message } } }';
        type Findings = { doctor: { findings: { name: string; status: string; message: string }[] } };
        const asked = async (at: Gateway) =>
          (await ask<Findings>(at, await operatorTokenOf(at), query)).doctor.findings.find(
            ({ name }) => name === 'clock',
          );
        expect(await asked(wrong)).toMatchObject({ status: 'FAULT', message: expect.stringContaining('600 s apart') });
        expect(await asked(right)).toMatchObject({ status: 'OK' });
      });
    });

    describe('whose monotonic clock is wrong as well', () => {
      test.each([
        ['ten minutes slow', -TEN_MINUTES_S],
        ...(isLong ? [['ten minutes fast', TEN_MINUTES_S] as const, ['an hour fast', HOUR_S] as const] : []),
      ] as const)('does all in time where it started %s', async (_how, aheadS) => {
        const [wrong] = await startWrong('both', aheadS);
        await expectAll(wrong);
        wrong.kill('SIGTERM');
        expect(await wrong.exited).toEqual({ code: 0, signal: null });
      });

      test.runIf(isLong)('does all in time again within seconds after a step of an hour forward', async () => {
        const [wrong, clock] = await startWrong('both', 0);
        await clock.set(HOUR_S);
        const query = '{ logHistogram { to } }';
        await until(
          'it knows the time',
          async () => {
            const { logHistogram } = await ask<{ logHistogram: { to: string } }>(wrong, demo.tokens.unified, query);
            return Math.abs(Date.parse(logHistogram.to) - (await databaseMs())) < APART_S * 1_000 ? true : null;
          },
          APART_S * 1_000,
        );
        await expectAll(wrong);
        wrong.kill('SIGTERM');
        expect(await wrong.exited).toEqual({ code: 0, signal: null });
      });
    });
  });
});
