import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Provider, SendRequest } from '../../../src/channels/contract.ts';
import { dispatch } from '../../../src/channels/dispatch.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { Line } from '../../../src/modules/connections/live/line.ts';
import { NO_SESSION } from '../../support/providers/no-session.ts';

const REQUEST: Omit<SendRequest, 'tryNumber'> = {
  attemptId: 'att_1',
  accountId: 'acc_1',
  channel: 'sms',
  to: '12025550100',
  from: 'ACME',
  text: 'Hello',
  template: null,
  validitySeconds: null,
};

/** The line of a provider that answers so to the deadline. */
function lineThatAnswers(outcome: SendOutcome): Line {
  const capabilities = { channels: ['sms'], receipts: 'none' } as const;
  const provider: Provider = {
    id: 'scripted',
    capabilities,
    send: (_request, signal) =>
      new Promise(resolve => signal.addEventListener('abort', () => resolve(outcome), { once: true })),
  };
  return new Line({
    definition: {
      id: 'scripted',
      label: 'Scripted',
      capabilities,
      configSchema: z.unknown(),
      create: () => provider,
      probe: () => Promise.reject(new Error('nobody probes it')),
    },
    config: {},
    services: {
      ...NO_SESSION,
      receiptsUrl: 'http://127.0.0.1/receipts/con_1/token',
      userAgent: 'Heliograph/1.0.0',
      receive: async () => undefined,
      hear: async () => undefined,
    },
    takeTurn: async () => true,
    templateFault: () => null,
    isUnused: true,
    onHealth: () => undefined,
  });
}

describe('the deadline of a call', () => {
  test.each<{ outcome: SendOutcome; status: string }>([
    { outcome: { kind: 'accepted', providerMessageId: 'p-1' }, status: 'up' },
    { outcome: { kind: 'unknown', code: 'timeout', message: 'No answer.' }, status: 'down' },
  ])('that a provider answers by $outcome.kind leaves its connection $status', async ({ outcome, status }) => {
    const line = lineThatAnswers(outcome);
    expect((await dispatch(line.provider, REQUEST, 1)).kind).toBe(outcome.kind);
    expect(line.breaker.state.status).toBe(status);
  });
});
