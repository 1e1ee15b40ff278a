import { beforeEach, expect, test } from 'vitest';
import { storeNews } from '../../../src/modules/connections/live/store-news.ts';
import { createLogger } from '../../../src/observability/logger.ts';

const CONNECTION = { id: 'con_1', providerId: 'chat-qr' };

const lines: Record<string, unknown>[] = [];
const log = createLogger('warn', { write: line => void lines.push(JSON.parse(line)) });

let stored: string[];
let asked: string[][];
beforeEach(() => {
  lines.length = 0;
  stored = [];
  asked = [];
});

/** Stores all or nothing, and fails as it is told at the nth time that it is asked. */
const storing = (fail: (news: readonly string[], nth: number) => string | null) => async (news: readonly string[]) => {
  asked.push([...news]);
  const code = fail(news, asked.length);
  if (code !== null) throw Object.assign(new Error('refused: secret words'), { code });
  stored.push(...news);
};

test('news that never fit are dropped, with a line that does not repeat them, and the others are stored', async () => {
  await storeNews(
    log,
    CONNECTION,
    ['a', 'b', 'c'],
    storing(news => (news.includes('b') ? '22021' : null)),
  );
  expect(stored).toEqual(['a', 'c']);
  expect(lines).toMatchObject([{ level: 50, connectionId: 'con_1', provider: 'chat-qr', sqlState: '22021' }]);
  expect(JSON.stringify(lines)).not.toMatch('secret words');
});

test('news that were overtaken are stored at the next try', async () => {
  await storeNews(
    log,
    CONNECTION,
    ['a'],
    storing((_news, nth) => (nth === 1 ? '22021' : null)),
  );
  expect(stored).toEqual(['a']);
  expect(lines).toEqual([]);
});

test('news that the database is away for are to come again', async () => {
  const storingLater = storing((_news, nth) => (nth === 1 ? '22021' : '53100'));
  await expect(storeNews(log, CONNECTION, ['a', 'b'], storingLater)).rejects.toMatchObject({ code: '53100' });
  expect(asked).toEqual([['a', 'b'], ['a']]);
  expect(lines).toEqual([]);
});
