import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createMail, type Mail } from '../../../src/mail/mail.ts';
import { updateAlertRule } from '../../../src/modules/alerts/manage-alert-rules.ts';
import { sendAlertJob } from '../../../src/modules/alerts/sends/send-alert.ts';
import { testAlertRule } from '../../../src/modules/alerts/sends/test-alert-rule.ts';
import { alertsOf } from '../../support/alerts/alert-fixture.ts';
import { oncePerTest, setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { type SmtpPeer, startSmtpPeer } from '../../support/mail/smtp-peer.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';
import { type Answer, type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

/** The refusals of the mail server by address; null: it takes the mail. */
const refusals = new Map<string, number>();
const smtp: SmtpPeer = oncePerTest(
  () => startSmtpPeer({ answer: address => refusals.get(address) ?? null }),
  peer => peer.close(),
);
const mail: Mail = {
  isSet: true,
  send: letter =>
    createMail(readConfig({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'gateway@acme.example' }).mail).send(
      letter,
    ),
};
const on = setUpServices({ mail });
const alerts = alertsOf(on);
let account: TestAccount;

beforeEach(async () => {
  account = await makeAccount(on, { credits: 100, name: 'Acme & <Sons>' });
});

async function startSlack(answer?: Answer): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  onTestFinished(() => receiver.close());
  return receiver;
}

interface StoredSend {
  readonly id: string;
  readonly target: string;
  readonly status: string;
  readonly tries: number;
  readonly error: string | null;
}

const sends = () =>
  on.sql<StoredSend>(
    `select s.id, s.target, s.status, s.tries, s.error from alert_sends s join alerts a on a.id = s.alert_id
     where a.account_id = $1 order by a.id, s.way, s.target`,
    [toUuid(account.accountId)],
  );

/** Lets the balance fall below 50, and tells it. */
async function tell(ways: { mail?: string[]; slackUrl?: string }): Promise<readonly StoredSend[]> {
  await alerts.rule(account, { kind: 'balance_low', threshold: 50, ...ways });
  await alerts.add(account, -51);
  await alerts.watch();
  return sends();
}

/** Runs the job of a send once. */
const run = ({ id }: { readonly id: string }) => sendAlertJob.run(on.ctxFor(OPERATOR), { sendId: id });

async function sentAll(made: readonly StoredSend[]): Promise<void> {
  for (const send of made) await run(send);
}

describe('an alert', () => {
  test('goes to each address of its rule, once', async () => {
    const slack = await startSlack();
    const made = await tell({ mail: ['ada@acme.example', 'bob@acme.example'], slackUrl: slack.url });
    await sentAll(made);
    // As a queue may do that lost the word that it was done.
    await sentAll(made);
    expect((await sends()).map(({ target, status, tries, error }) => [target, status, tries, error])).toEqual([
      ['ada@acme.example', 'sent', 1, null],
      ['bob@acme.example', 'sent', 1, null],
      [new URL(slack.url).host, 'sent', 1, null],
    ]);
    const mine = smtp.mails.filter(({ source }) => source.includes('Acme & <Sons>'));
    expect(mine.map(({ to }) => to)).toEqual([['ada@acme.example'], ['bob@acme.example']]);
    const [first] = mine;
    expect(first?.source).toContain('Subject: Acme & <Sons>: The balance is 49 credits, below 50\r\n');
    expect(first?.source).toContain('More: https://gateway.example.com/dashboard/credits\r\n');
    expect(slack.received).toHaveLength(1);
    expect(slack.received[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(slack.received[0]?.body ?? '')).toEqual({
      text: expect.stringMatching(
        /^Acme &amp; &lt;Sons&gt;: The balance is 49 credits, below 50\. Since .* UTC\. https:\/\/gateway\.example\.com\/dashboard\/credits$/,
      ),
    });
  });

  test('of a burst leads to what was counted of it, however late it is read', async () => {
    const refused = (errorCode: string, minutes: number) =>
      makeAttempt(account.accountId, {
        type: 'otp_blocked',
        messageId: null,
        provider: null,
        status: 'blocked',
        errorCode,
        startedAt: new Date(Date.now() - minutes * 60_000),
      });
    await on.database
      .fork()
      .persist([refused('too_many_unverified', 1), refused('country_not_allowed', 2), refused('otp_blocked', 3)])
      .flush();
    await alerts.rule(account, { kind: 'passcodes_blocked', threshold: 2, mail: ['eve@acme.example'] });
    await alerts.watch();
    await sentAll(await sends());
    const [told] = await on.sql<{ at: string }>('select created_at as at from alerts where account_id = $1', [
      toUuid(account.accountId),
    ]);
    const at = new Date(told?.at ?? '');
    const mine = smtp.mails.find(({ to }) => to.includes('eve@acme.example'));
    // Long lines are broken on their way.
    const source = mine?.source.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    expect(source).toContain('The fraud guard refused 2 passcodes within an hour.');
    const link = new URL(/More: (\S+)/.exec(source)?.[1] ?? '');
    expect([link.pathname, Object.fromEntries(link.searchParams)]).toEqual([
      '/dashboard/logs',
      {
        view: 'attempts',
        type: 'OTP_BLOCKED',
        errorCode: 'country_not_allowed,number_type_refused,too_many_unverified',
        from: new Date(at.getTime() - 3_600_000).toISOString(),
        to: at.toISOString(),
      },
    ]);
  });

  test('is on its way by the queue as soon as it is told', async () => {
    const made = await tell({ mail: ['ada@acme.example'] });
    const jobs = await on.sql<{ data: unknown }>(`select data from pgboss.job where name = 'send-alert'`);
    expect(jobs.map(({ data }) => data)).toContainEqual({ sendId: made[0]?.id });
  });

  test('is tried again where that may help', async () => {
    refusals.set('busy@acme.example', 451);
    const [send = { id: '' }] = await tell({ mail: ['busy@acme.example'] });
    await expect(run(send)).rejects.toThrow('The mail server refused the address (451).');
    expect(await sends()).toMatchObject([
      { status: 'pending', tries: 1, error: 'The mail server refused the address (451).' },
    ]);
    refusals.delete('busy@acme.example');
    await run(send);
    expect(await sends()).toMatchObject([{ status: 'sent', tries: 2, error: null }]);
  });

  test('is given up after ten tries', async () => {
    refusals.set('always@acme.example', 451);
    const [send = { id: '' }] = await tell({ mail: ['always@acme.example'] });
    for (let tries = 1; tries < 10; tries += 1) await expect(run(send)).rejects.toThrow();
    await run(send);
    expect(await sends()).toMatchObject([{ status: 'failed', tries: 10 }]);
  });

  test.each([
    ['an address is refused for good', { mail: ['gone@acme.example'] }, 'The mail server refused the address (550).'],
  ])('is given up at once where %s', async (_why, ways, error) => {
    refusals.set('gone@acme.example', 550);
    const [send = { id: '' }] = await tell(ways);
    await run(send);
    expect(await sends()).toMatchObject([{ status: 'failed', tries: 1, error }]);
  });

  test.each([
    [404, 'failed'],
    [302, 'failed'],
    [429, 'pending'],
    [503, 'pending'],
  ])('that a URL answers with %i is then %s', async (code, status) => {
    const slack = await startSlack((_request, response) => {
      response.writeHead(code, { location: 'http://127.0.0.1:1/' }).end();
    });
    const [send = { id: '' }] = await tell({ slackUrl: slack.url });
    await run(send).catch(() => undefined);
    const error = `${new URL(slack.url).host} answered ${code}, not 2xx.`;
    expect(await sends()).toMatchObject([{ status, error }]);
    expect(slack.received).toHaveLength(1);
  });

  test('goes to no URL that leads to what is not public, whatever was stored', async () => {
    const slack = await startSlack();
    const [send = { id: '' }] = await tell({ slackUrl: slack.url });
    const { createOutbound } = await import('../../../src/outbound/outbound.ts');
    const outbound = createOutbound({ allowedNetworks: [] });
    onTestFinished(() => outbound.close());
    const ctx = on.ctxFor(OPERATOR);
    await sendAlertJob.run(ctx.with({ services: { ...ctx.services, outbound } }), { sendId: send.id });
    expect(await sends()).toMatchObject([{ status: 'failed', error: expect.stringContaining('public') }]);
    expect(slack.received).toEqual([]);
  });

  test('says that its URL was taken away meanwhile', async () => {
    const [send = { id: '' }] = await tell({ slackUrl: 'http://127.0.0.1:9/hook' });
    await on.sql('delete from alert_rules where account_id = $1', [toUuid(account.accountId)]);
    await run(send);
    expect(await sends()).toMatchObject([{ status: 'failed', error: 'The rule has no such URL any more.' }]);
  });
});

describe('a test of a rule', () => {
  const tryRule = (ruleId: string) => testAlertRule(on.ctxFor(account.operator), ruleId);

  test('goes by each way once, says what each answered, and is no alert', async () => {
    refusals.set('nobody@acme.example', 550);
    const slack = await startSlack();
    const mail = ['nobody@acme.example', 'grace@acme.example'];
    const { id } = await alerts.rule(account, { kind: 'balance_low', threshold: 50, mail, slackUrl: slack.url });
    expect(await tryRule(id)).toEqual({
      text: 'Test, nothing is wrong: The balance is 49 credits, below 50.',
      sends: [
        { way: 'mail', target: 'grace@acme.example', error: null },
        { way: 'mail', target: 'nobody@acme.example', error: 'The mail server refused the address (550).' },
        { way: 'slack', target: new URL(slack.url).host, error: null },
      ],
      tries: [],
    });
    const told = smtp.mails.find(({ to }) => to.includes('grace@acme.example'));
    expect(told?.source).toContain('Test, nothing is wrong: The balance is 49 credits');
    expect(JSON.parse(slack.received[0]?.body ?? '').text).toContain(
      'Test, nothing is wrong: The balance is 49 credits',
    );
    expect(await alerts.told(account)).toEqual([]);
  });

  test('says that a URL did not take it', async () => {
    const slack = await startSlack((_request, response) => void response.writeHead(404).end());
    const { id } = await alerts.rule(account, { kind: 'endpoint_failing', slackUrl: slack.url });
    const host = new URL(slack.url).host;
    expect((await tryRule(id)).sends).toEqual([
      { way: 'slack', target: host, error: `${host} answered 404, not 2xx.` },
    ]);
  });

  test('tells nobody of a rule that is paused or has no address, but for the events', async () => {
    const { id } = await alerts.rule(account, { kind: 'passcodes_blocked' });
    await updateAlertRule(on.ctxFor(account.operator), { ruleId: id, paused: true });
    const text = 'Test, nothing is wrong: The fraud guard refused 5 passcodes within an hour.';
    expect(await tryRule(id)).toEqual({ text, sends: [], tries: [] });
  });

  test('is refused where it was asked for ten times in a minute', async () => {
    const { id } = await alerts.rule(account, { kind: 'connection_down' });
    const by = on.ctxFor(account.actor('management'));
    for (let nth = 0; nth < 10; nth++) await testAlertRule(by, id);
    await expect(testAlertRule(by, id)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
