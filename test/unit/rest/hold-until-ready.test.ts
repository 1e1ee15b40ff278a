import { expect, test } from 'vitest';
import { holdUntilReady } from '../../../src/rest/server/hold-until-ready.ts';

test('what comes before the door is opened waits, and is then answered like the rest', async () => {
  const asked: string[] = [];
  const door = holdUntilReady((question: string) => {
    asked.push(question);
    return new Response(question);
  });
  const early = door.fetch('early');
  expect(asked).toEqual([]);
  door.open();
  expect(await (await early).text()).toBe('early');
  expect(await (await door.fetch('late')).text()).toBe('late');
});
