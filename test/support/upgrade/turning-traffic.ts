/** Sends without a pause by gateways that take turns, as a balancer has them do. */
import { setInterval } from 'node:timers/promises';
import { runSql } from '../databases/postgres.ts';
import { type SteadySend, sendOne } from '../messaging/steady-sends.ts';
import { type Gateway, TEXT, until } from '../processes/gateway.ts';

const PER_SECOND = 10;

/** The sandbox takes two seconds over messages to this one. */
const SLOW = '+12025550107';

/** Every other send goes by chat first, and one in ten is slow. */
const requestOf = (index: number): SteadySend['request'] => ({
  reference: `upgrade-${index}`,
  to: index % 10 < 9 ? '+12025550100' : SLOW,
  text: `${TEXT} ${index}`,
  channels: index % 2 === 0 ? ['sms'] : ['chat_qr', 'sms'],
});

/** Traffic that goes on until the end. */
export interface TurningTraffic {
  /** Lets a gateway have its turn. */
  add(gateway: Gateway): void;
  /** Gives a gateway no send more. Resolves when those that it was given have begun. */
  remove(gateway: Gateway): Promise<void>;
  /** Resolves when each gateway has been asked ten times more. */
  goesOn(): Promise<void>;
  /** Ends, and answers every send. */
  end(): Promise<SteadySend[]>;
}

/** Begins to send, to gateways on one database. */
export function beginTurns(token: string, databaseUrl: string, first: readonly Gateway[]): TurningTraffic {
  const gateways = [...first];
  const given = new Map<Gateway, string[]>();
  const sends: Promise<SteadySend>[] = [];
  let isOver = false;
  const sending = (async () => {
    for await (const _tick of setInterval(1_000 / PER_SECOND)) {
      if (isOver) return;
      const gateway = gateways[sends.length % gateways.length];
      if (!gateway) continue;
      const request = requestOf(sends.length);
      given.set(gateway, [...(given.get(gateway) ?? []), request.reference]);
      sends.push(sendOne(gateway, token, request));
    }
  })();
  const countOf = (gateway: Gateway): number => given.get(gateway)?.length ?? 0;
  return {
    add: gateway => void gateways.push(gateway),
    async remove(gateway) {
      gateways.splice(gateways.indexOf(gateway), 1);
      const references = (given.get(gateway) ?? []).map(reference => `'${reference}'`).join();
      await until('each send has begun', async () => {
        const stored = await runSql(databaseUrl, `select 1 from messages where reference in (${references})`);
        return stored.length === countOf(gateway) ? true : null;
      });
    },
    async goesOn() {
      const before = new Map(gateways.map(gateway => [gateway, countOf(gateway)]));
      await until('each gateway was asked', async () =>
        [...before].every(([gateway, count]) => countOf(gateway) >= count + 10) ? true : null,
      );
    },
    async end() {
      isOver = true;
      await sending;
      return Promise.all(sends);
    },
  };
}
