import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../support/databases/cluster.ts';
import { migrateDatabase } from '../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../support/databases/postgres.ts';
import { type FollowedLog, followLog } from '../../support/logs/follow-log.ts';
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

const cluster = await startCluster({ own: true });
if (cluster === null) {
  process.stderr.write('database-away.test.ts: left out, for it needs a PostgreSQL of its own\n');
}

describe.skipIf(cluster === null)('a database that goes away and comes back', () => {
  let url: string;
  let first: Gateway;
  let second: Gateway;
  let demo: Demo;
  let postgres: Cluster;

  beforeAll(async () => {
    if (cluster === null) return;
    postgres = cluster;
    await runSql(postgres.url, 'create database away');
    url = databaseUrl(postgres.url, 'away');
    await migrateDatabase(url);
    [first, second] = await Promise.all([startGateway({ databaseUrl: url }), startGateway({ databaseUrl: url })]);
    demo = await seedDemo(first);
  });

  afterAll(async () => {
    try {
      for (const gateway of [first, second]) gateway.kill('SIGTERM');
      await Promise.all([first.exited, second.exited]);
    } finally {
      await postgres.stop();
    }
  });

  /** How many connections listen. */
  async function countListeners(): Promise<number> {
    const [row] = await runSql(
      url,
      `select count(*)::int as n from pg_stat_activity where datname = 'away' and application_name = 'heliograph-listen'`,
    );
    return Number(row?.n);
  }

  async function untilReadiness(gateway: Gateway, wanted: number): Promise<void> {
    await until(
      `readyz answers ${wanted}`,
      async () => {
        const { status } = await fetch(`${gateway.url}/readyz`);
        return status === wanted ? true : null;
      },
      60_000,
    );
  }

  test('is told as such, loses nothing that was acknowledged, and all works again by itself', async () => {
    const { unified } = demo.tokens;
    const feed = await followLog(first, unified);
    const seen = readAll(feed);
    const answers: {
      status: number;
      messageId: string | undefined;
      code: string | undefined;
      retryAfter: string | null;
    }[] = [];
    let isOver = false;
    const sendOnAndOn = async (gateway: Gateway): Promise<void> => {
      while (!isOver) {
        const { status, body, headers } = await send(gateway, unified);
        answers.push({
          status,
          messageId: body.data?.messageId,
          code: body.code,
          retryAfter: headers.get('retry-after'),
        });
      }
    };
    const senders = Array.from({ length: 8 }, (_, index) => sendOnAndOn(index % 2 === 0 ? first : second));
    await until('sends are answered', async () => {
      await fetch(`${first.url}/healthz`);
      return answers.length > 100 ? true : null;
    });

    await postgres.crash();
    await Promise.all([untilReadiness(first, 503), untilReadiness(second, 503)]);
    const refused = await send(first, unified);
    expect([refused.status, refused.body.code]).toEqual([503, 'database_unavailable']);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200);

    await postgres.restart();
    await Promise.all([untilReadiness(first, 200), untilReadiness(second, 200)]);
    isOver = true;
    await Promise.all(senders);
    const others = answers.filter(({ status }) => status !== 200);
    const kinds = new Set(others.map(({ status, code, retryAfter }) => `${status} ${code} ${retryAfter}`));
    expect([...kinds]).toEqual(['503 database_unavailable 1']);

    const acknowledged = answers.flatMap(({ messageId }) => messageId ?? []);
    expect(acknowledged.length).toBeGreaterThan(100);
    const stored = await runSql(url, "select 'msg_' || replace(id::text, '-', '') as id from messages");
    const ids = new Set(stored.map(({ id }) => id));
    expect(acknowledged.filter(id => !ids.has(id))).toEqual([]);
    expect((await send(second, unified)).status).toBe(200);

    // One for each process, for all that it listens to: none is missing, and none is left over from the way back.
    await until('both listen', async () => ((await countListeners()) === 2 ? true : null));
    const marked = await send(second, unified, { to: '+12025550133' });
    await until('the feed brings what was sent since', async () => {
      await fetch(`${first.url}/healthz`);
      return seen.has(marked.body.data?.messageId ?? '') ? true : null;
    });
    // Sends that were committed while nobody listened are read again. The feed says how many it left out.
    const missing = acknowledged.filter(id => !seen.has(id));
    expect(missing.slice(feed.leftOut())).toEqual([]);
    feed.close();
    await expectRevocationIsHeard();
    expect(await countListeners()).toBe(2);
  });

  /** The messages that the feed has brought so far, read all the time: a feed that nobody reads is ended. */
  function readAll(feed: FollowedLog): Set<string> {
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      for (;;) seen.add((await feed.next()).messageId);
    };
    // Ends when the feed is closed; what it did not bring, the test misses.
    read().catch(() => undefined);
    return seen;
  }

  /** A token that is revoked over the second is refused by the first, which had just seen it alive. */
  async function expectRevocationIsHeard(): Promise<void> {
    const operator = await operatorTokenOf(second);
    const { createToken } = await ask<{ createToken: { secret: string; token: { tokenId: string } } }>(
      second,
      operator,
      'mutation ($id: String!) { createToken(input: { accountId: $id, area: UNIFIED }) { secret token { tokenId } } }',
      { id: demo.accountId },
    );
    expect((await send(first, createToken.secret)).status).toBe(200);
    await ask(second, operator, 'mutation ($id: String!) { revokeToken(tokenId: $id) { revokedAt } }', {
      id: createToken.token.tokenId,
    });
    expect(await untilRefused(first, createToken.secret)).toBeLessThan(1_000);
  }
});
