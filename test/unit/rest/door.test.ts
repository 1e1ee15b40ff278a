import { expect, test } from 'vitest';
import { closedDoor } from '../../../src/rest/door.ts';

test('what comes before the door is opened waits, and is then answered like the rest', async () => {
  const asked: string[] = [];
  const door = closedDoor((question: string) => {
    asked.push(question);
    return new Response(question);
  });
  const early = door.fetch('early');
  expect(asked).toEqual([]);
  door.open();
  expect(await (await early).text()).toBe('early');
  expect(await (await door.fetch('late')).text()).toBe('late');
});
