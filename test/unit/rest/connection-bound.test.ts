import { once } from 'node:events';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrustedProxies } from '../../../src/kernel/network/address.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { boundConnections } from '../../../src/rest/overload/connection-bound.ts';
import { assertProperty } from '../../support/runner/properties.ts';

/** A bound of three connections, its metric, what it logged, and its clock. */
function makeBound(trustedProxies: TrustedProxies | null = null) {
  const metrics = createMetrics(false);
  const said: unknown[] = [];
  const clock = { nowMs: 0 };
  const bound = boundConnections({
    connectionsPerAddress: 3,
    connectionsPerAccount: 2,
    trustedProxies,
    metrics,
    log: { warn: (facts: unknown) => void said.push(facts) },
    now: () => clock.nowMs,
  });
  const enter = (address: string, times: number): number =>
    Array.from({ length: times }, () => bound.enter(address)).filter(leave => leave !== null).length;
  const refused = async (): Promise<number> => (await metrics.connectionsRefused.get()).values[0]?.value ?? 0;
  return { bound, enter, refused, said, clock };
}

test('an address has so many connections, and no other one fewer', async () => {
  const { enter, refused } = makeBound();
  expect(enter('192.0.2.1', 5)).toBe(3);
  expect(enter('192.0.2.2', 5)).toBe(3);
  expect(await refused()).toBe(4);
});

test.each([
  ['an IPv4 address and the same one mapped to IPv6', '192.0.2.1', '::ffff:192.0.2.1'],
  ['addresses of one /64', '2001:db8::1', '2001:db8::ffff:2'],
])('%s are one', (_what, first, second) => {
  const { enter } = makeBound();
  expect(enter(first, 3)).toBe(3);
  expect(enter(second, 1)).toBe(0);
});

test('addresses of two /64 are two', () => {
  const { enter } = makeBound();
  expect(enter('2001:db8:0:1::1', 3) + enter('2001:db8:0:2::1', 3)).toBe(6);
});

test.each([
  ['a /48', (index: number) => `2001:db8:0:${index}::1`, '2001:db8:0:ffff::1', '2001:db8:1::1', '2001:db8::/48'],
  ['a /24', (index: number) => `192.0.2.${index}`, '192.0.2.200', '198.51.100.1', '192.0.2.0/24'],
])(
  'the addresses of %s have four times as many together, and no other network fewer',
  (_what, at, late, apart, network) => {
    const { enter, bound, said } = makeBound();
    const left = bound.enter(at(0));
    const others = [enter(at(0), 2), ...Array.from({ length: 3 }, (_, index) => enter(at(index + 1), 3))];
    expect(others).toEqual([2, 3, 3, 3]);
    expect(enter(late, 1)).toBe(0);
    expect(said).toEqual([{ network, most: 12 }]);
    expect(enter(apart, 1)).toBe(1);
    left?.();
    // A connection refused for the network took no place of the address.
    expect(enter(late, 5)).toBe(1);
  },
);

test.each([
  ['this machine', '127.0.0.1', null],
  ['this machine by IPv6', '::1', null],
  ['this machine, mapped', '::ffff:127.0.0.1', null],
  ['a proxy that is named', '10.1.2.3', { networks: ['10.0.0.0/8'] }],
  ['anybody behind a number of proxies', '192.0.2.1', { hops: 1 }],
])('%s has no bound', (_what, address, trusted) => {
  expect(makeBound(trusted).enter(address, 100)).toBe(100);
});

test('who is no proxy has the bound beside those that are', () => {
  expect(makeBound({ networks: ['10.0.0.0/8'] }).enter('192.0.2.1', 100)).toBe(3);
});

test('the log is told once a minute', () => {
  const { enter, said, clock } = makeBound();
  enter('192.0.2.1', 10);
  clock.nowMs = 59_999;
  enter('192.0.2.1', 10);
  expect(said).toEqual([{ address: '192.0.2.1', most: 3 }]);
  clock.nowMs = 60_000;
  enter('192.0.2.1', 10);
  expect(said).toHaveLength(2);
});

test('what comes and goes in any order is counted right', () => {
  assertProperty(
    fc.property(fc.array(fc.tuple(fc.constantFrom('192.0.2.1', '192.0.2.2'), fc.boolean())), steps => {
      const { bound } = makeBound();
      const open = new Map<string, (() => void)[]>();
      for (const [address, comes] of steps) {
        const own = open.get(address) ?? [];
        open.set(address, own);
        if (!comes) own.pop()?.();
        else {
          const leave = bound.enter(address);
          expect(leave !== null).toBe(own.length < 3);
          if (leave) own.push(leave);
        }
      }
    }),
  );
});

describe('a connection of an account', () => {
  const ADDRESS = '192.0.2.1';

  /** A bound, and what uses so many new connections for an account. */
  function makeUse() {
    const made = makeBound();
    const use = (accountId: string, sockets: readonly Socket[], address = ADDRESS) =>
      sockets.map(socket => made.bound.use(socket, accountId, address));
    return { ...made, use };
  }
  const sockets = (count: number): Socket[] => Array.from({ length: count }, () => new Socket());

  test('is one of so many, whatever address it comes from, and no other account has fewer', async () => {
    const { use, refused, said } = makeUse();
    expect([...use('acc_1', sockets(2)), ...use('acc_1', sockets(1), '198.51.100.9')]).toEqual([null, null, 2]);
    expect(use('acc_2', sockets(3))).toEqual([null, null, 2]);
    expect(await refused()).toBe(2);
    expect(said).toEqual([{ accountId: 'acc_1', most: 2 }]);
  });

  test('is counted once, however often it is used', () => {
    const { use } = makeUse();
    const [first] = sockets(1);
    expect(
      use(
        'acc_1',
        Array.from({ length: 5 }, () => first ?? new Socket()),
      ),
    ).toEqual(Array(5).fill(null));
    expect(use('acc_1', sockets(2))).toEqual([null, 2]);
  });

  test('is that of the account that used it last', () => {
    const { use } = makeUse();
    const shared = sockets(2);
    use('acc_1', shared);
    expect(use('acc_2', shared)).toEqual([null, null]);
    expect(use('acc_1', sockets(2))).toEqual([null, null]);
    expect(use('acc_2', sockets(1))).toEqual([2]);
  });

  test('leaves its place to another one when it has ended', async () => {
    const { use } = makeUse();
    const [first = new Socket(), ...others] = sockets(2);
    use('acc_1', [first, ...others]);
    first.destroy();
    await once(first, 'close');
    expect(use('acc_1', sockets(2))).toEqual([null, 2]);
  });

  test('is counted no more when it has ended before its account is known', async () => {
    const { use } = makeUse();
    const ended = sockets(2);
    for (const socket of ended) {
      socket.destroy();
      await once(socket, 'close');
    }
    use('acc_1', ended);
    expect(use('acc_1', sockets(2))).toEqual([null, null]);
  });

  test('is not counted where it comes from this machine', () => {
    expect(makeUse().use('acc_1', sockets(5), '127.0.0.1')).toEqual(Array(5).fill(null));
  });
});
