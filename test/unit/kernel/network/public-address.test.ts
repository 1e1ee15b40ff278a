import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, SPECIAL_IPV4, SPECIAL_IPV6 } from '../../../../src/kernel/network/public-address.ts';
import { addressOf, HOSTILE_HOSTS, PUBLIC_HOSTS } from '../../../support/outbound/servers.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

/** First and last address of a block, as numbers. */
type Range = readonly [bigint, bigint];

const read4 = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const write4 = (value: bigint): string => [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 255n).join('.');
/** Reads the plain form `2001:db8::`, whose end is left out. */
const read6 = (text: string): bigint => {
  const groups = text.replace(/::$/, '').split(':');
  return groups.reduce((sum, group, index) => sum + (BigInt(`0x${group}`) << BigInt(112 - 16 * index)), 0n);
};
const groupsOf = (value: bigint): bigint[] =>
  Array.from({ length: 8 }, (_, at) => (value >> BigInt(112 - 16 * at)) & 65535n);
const write6 = (value: bigint): string =>
  groupsOf(value)
    .map(group => group.toString(16))
    .join(':');

function rangeOf(cidr: string): Range {
  const [address = '', prefix] = cidr.split('/');
  const [bits, first] = address.includes(':') ? [128, read6(address)] : [32, read4(address)];
  return [first, first + (1n << BigInt(bits - Number(prefix))) - 1n];
}

const isIn = (value: bigint, ranges: readonly Range[]): boolean =>
  ranges.some(([first, last]) => value >= first && value <= last);
const RANGES4 = SPECIAL_IPV4.map(rangeOf);
const RANGES6 = SPECIAL_IPV6.map(rangeOf);
const GLOBAL: readonly Range[] = [[0x2000n << 112n, (0x4000n << 112n) - 1n]];
const number = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });

describe('IPv4', () => {
  test.each(SPECIAL_IPV4)('the first and the last of %s are not public', cidr => {
    expect(rangeOf(cidr).map(write4).filter(isPublicAddress)).toEqual([]);
  });

  test.each(SPECIAL_IPV4)('the neighbours of %s are public unless another block has them', cidr => {
    const [first, last] = rangeOf(cidr);
    const neighbours = [first - 1n, last + 1n].filter(value => value >= 0n && value < 1n << 32n);
    expect(neighbours.map(value => isPublicAddress(write4(value)))).toEqual(
      neighbours.map(value => !isIn(value, RANGES4)),
    );
  });

  test('there are 18 blocks', () => {
    expect(SPECIAL_IPV4).toHaveLength(18);
  });

  test('an address is public exactly where no block has it', () => {
    assertProperty(
      fc.property(number(32n), value => isPublicAddress(write4(value)) === !isIn(value, RANGES4)),
      { numRuns: runs(2_000) },
    );
  });
});

describe('IPv6', () => {
  test.each(SPECIAL_IPV6)('the first and the last of %s are not public', cidr => {
    expect(rangeOf(cidr).map(write6).filter(isPublicAddress)).toEqual([]);
  });

  test.each(SPECIAL_IPV6)('the neighbours of %s are public unless another block has them', cidr => {
    const [first, last] = rangeOf(cidr);
    const isOutside = (value: bigint) => isIn(value, RANGES6) || !isIn(value, GLOBAL);
    const neighbours = [first - 1n, last + 1n];
    expect(neighbours.map(value => isPublicAddress(write6(value)))).toEqual(neighbours.map(value => !isOutside(value)));
  });

  test.each([
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2000::', true],
    ['3fff:1000::', true],
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['4000::', false],
  ])('at the edges of 2000::/3, %s: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  test('an address is public exactly where it is inside 2000::/3 and no block has it', () => {
    const inside = number(125n).map(value => value | (1n << 125n));
    assertProperty(
      fc.property(fc.oneof(number(128n), inside), value => {
        const isPublic = isIn(value, GLOBAL) && !isIn(value, RANGES6);
        return isPublicAddress(write6(value)) === isPublic;
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('every spelling of an address has the same answer', () => {
    assertProperty(
      fc.property(
        fc.oneof(
          number(128n),
          number(125n).map(value => value | (1n << 125n)),
        ),
        value => {
          const plain = write6(value);
          const spellings = [
            plain.toUpperCase(),
            groupsOf(value)
              .map(group => group.toString(16).padStart(4, '0'))
              .join(':'),
            `${plain.split(':').slice(0, 6).join(':')}:${write4(value & 0xffffffffn)}`,
            addressOf(`[${plain}]`),
          ];
          return spellings.every(spelling => isPublicAddress(spelling) === isPublicAddress(plain));
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test.each([
    ['mapped', '::ffff:'],
    ['compatible', '::'],
    ['translated', '::ffff:0:'],
    ['NAT64', '64:ff9b::'],
    ['local NAT64', '64:ff9b:1::'],
  ])('an IPv4 address inside (%s) is never public', (_form, prefix) => {
    assertProperty(fc.property(number(32n), value => !isPublicAddress(`${prefix}${write4(value)}`)));
  });

  test('an address with a zone is not public', () => {
    expect(isPublicAddress('2606:4700:4700::1111%eth0')).toBe(false);
  });
});

test.each(HOSTILE_HOSTS)('the host %s is not public as a URL reads it', host => {
  expect(isPublicAddress(addressOf(host))).toBe(false);
});

test.each(PUBLIC_HOSTS)('the host %s is public as a URL reads it', host => {
  expect(isPublicAddress(addressOf(host))).toBe(true);
});

test.each([
  '',
  ' ',
  'example.com',
  '8.8.8',
  '8.8.8.8 ',
  '0x8.8.8.8',
  '010.8.8.8',
  '134744072',
  '[2606:4700:4700::1111]',
  '8.8.8.8/32',
  '2606:4700:4700::1111/128',
  '8.8.8.256',
])('%j is no address, and so not public', text => {
  expect(isPublicAddress(text)).toBe(false);
});
