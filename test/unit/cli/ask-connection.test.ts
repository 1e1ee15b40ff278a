import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Asker } from '../../../src/cli/terminal/ask.ts';
import { askConnection } from '../../../src/cli/terminal/ask-connection.ts';

/** A person who gives these answers, and what was asked. */
function person(answers: Readonly<Record<string, unknown>>): Asker & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer = (question: string): unknown => {
    asked.push(question);
    const [, found] = Object.entries(answers).find(([begin]) => question.startsWith(begin)) ?? [];
    if (found === undefined) throw new Error(`nobody answers ${question}`);
    return found;
  };
  return {
    asked,
    text: async question => String(answer(question)),
    secret: async question => `secret ${answer(question)}`,
    choose: async (question, choices) => {
      const wanted = answer(question);
      const choice = choices.find(({ value }) => value === wanted);
      if (!choice) throw new Error(`${wanted} is no choice of ${question}`);
      return choice.value;
    },
  };
}

const configSchema = z.toJSONSchema(
  z.object({
    host: z.string().meta({ description: 'Where it is' }),
    port: z.int(),
    password: z.string().meta({ writeOnly: true }),
    bind: z.enum(['transceiver', 'separate']),
    request: z.object({}),
    window: z.int().optional(),
  }),
);

const CHOICES = {
  providers: [
    { id: 'smpp', label: 'SMPP', channels: ['sms' as const], configSchema },
    { id: 'both', label: 'Both', channels: ['sms' as const, 'chat_cloud' as const], configSchema: { properties: {} } },
  ],
  accounts: [{ accountId: 'acc_1', name: 'Shop' }],
  shared: 'shared',
};

test('everything that is missing is asked for, secrets hidden and numbers as numbers', async () => {
  const asker = person({
    'For which account?': 'acc_1',
    'Which provider?': 'smpp',
    'What is it called?': 'Main carrier',
    'host: Where it is': ' smsc.example.com ',
    port: '2775',
    password: 'p4ss',
    bind: 'separate',
    request: '{"a":1}',
  });
  expect(await askConnection(asker, {}, CHOICES)).toEqual({
    account: 'acc_1',
    provider: 'smpp',
    channel: 'sms',
    name: 'Main carrier',
    config: { host: 'smsc.example.com', port: 2775, password: 'secret p4ss', bind: 'separate', request: { a: 1 } },
  });
  // The one channel of the provider, and what has a preset, are not asked for.
  expect(asker.asked).toEqual([
    'For which account?',
    'Which provider?',
    'What is it called?',
    'host: Where it is',
    'port',
    'password',
    'bind',
    'request (JSON)',
  ]);
});

test('what was given is not asked for', async () => {
  const asker = person({ 'Over which channel?': 'chat_cloud' });
  const given = { account: 'shared', provider: 'both', name: 'Cloud', config: { a: 1 } };
  expect(await askConnection(asker, given, CHOICES)).toEqual({ ...given, channel: 'chat_cloud' });
});

test('a provider that nobody knows is left to the API', async () => {
  const given = { account: 'acc_1', provider: 'pigeon', channel: 'sms' as const, name: 'A', config: {} };
  expect(await askConnection(person({}), given, CHOICES)).toEqual(given);
});
