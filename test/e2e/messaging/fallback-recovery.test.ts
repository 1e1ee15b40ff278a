import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { createFollowUps, type FollowUps } from '../../support/messaging/follow-ups.ts';
import type { RunSql } from '../../support/otp/pins.ts';
import { type Demo, type Gateway, seedDemo, send, startGateway, until } from '../../support/processes/gateway.ts';

/** The sandbox takes this one's texts after two seconds: time to die in. */
const SLOW = '+12025550107';

describePostgres('after kill -9, a send whose channel had its time', () => {
  let database: TestDatabase;
  let url: string;
  let pool: pg.Pool;
  let gateway: Gateway;
  let demo: Demo;
  let waits: FollowUps;

  const sql: RunSql = async (text, parameters = []) => (await pool.query(text, [...parameters])).rows;

  beforeEach(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    url = database.url;
    pool = new pg.Pool({ connectionString: url });
    gateway = await startGateway({ databaseUrl: url });
    demo = await seedDemo(gateway);
    waits = createFollowUps({ sql });
    await waits.listen(demo);
  });
  afterEach(async () => {
    gateway.kill('SIGTERM');
    await gateway.exited;
    await pool.end();
    await database.drop();
  });

  /** A message that the chat has accepted, to a phone that reports nothing of it. */
  async function accepted(to: string): Promise<string> {
    await sql(
      `insert into sandbox_orders (id, account_id, recipient, delay_seconds, created_at)
       select gen_random_uuid(), id, $1, 0, now() from accounts where name = 'demo'`,
      [to.slice(1)],
    );
    const route = { channels: ['chat_qr', 'sms'], chatFrom: '15550000001', fallbackAfter: 3_600 };
    const { status, body } = await send(gateway, demo.tokens.unified, { to, ...route });
    expect(status).toBe(200);
    return body.data?.messageId ?? '';
  }

  async function dies(): Promise<void> {
    gateway.kill('SIGKILL');
    await gateway.exited;
  }

  async function startsAgain(): Promise<void> {
    gateway = await startGateway({ databaseUrl: url });
  }

  const ends = (id: string) =>
    until('the wait is over', async () => ((await waits.of(id)) === null ? true : null), 40_000);

  test('before the next channel is asked: it follows after the restart', async () => {
    const id = await accepted('+12025550150');
    await dies();
    await waits.comeDue(id);
    await startsAgain();
    await ends(id);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', expect.stringMatching(/^sms (sent|delivered)$/)]);
    expect(await waits.eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
  });

  test('while the next channel is asked: its outcome is unknown, and it is not asked again', async () => {
    const id = await accepted(SLOW);
    await waits.comeDue(id);
    await until('the SMS is under way', async () => {
      const [row] = await sql<{ under_way: string | null }>('select under_way from messages where id = $1', [
        toUuid(id),
      ]);
      return row?.under_way?.includes('sms') ? true : null;
    });
    await dies();
    await startsAgain();
    await ends(id);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms unknown']);
    expect(await waits.eventsOf(id)).toEqual(['message.sent', 'message.routed']);
    expect(await sql(`select held from accounts where name = 'demo'`)).toEqual([{ held: 0 }]);
    expect(await sql(`select channel from sandbox_messages where recipient = $1`, [SLOW.slice(1)])).toEqual([
      { channel: 'chat_qr' },
    ]);
  });

  test('after the next channel has it: nothing follows again', async () => {
    const id = await accepted('+12025550151');
    await waits.comeDue(id);
    await ends(id);
    await dies();
    await startsAgain();
    const other = await accepted('+12025550152');
    await waits.comeDue(other);
    // The look that ends this one has passed by the other.
    await ends(other);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', expect.stringMatching(/^sms (sent|delivered)$/)]);
    expect(await waits.eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
  });
});
