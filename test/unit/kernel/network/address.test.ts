import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAddress, limitKey, networkKey, type TrustedProxies } from '../../../../src/kernel/network/address.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

const PEER = '198.51.100.7';
const PROXY = '10.0.0.1';
const NETWORKS: TrustedProxies = { networks: ['10.0.0.0/8', 'fd00::/8'] };

/** Eight groups of 16 bits, as the bits of an IPv6 address are. */
const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map(parts => parts.join('.'));

/** The address of these groups by the rules for URLs, which write each address in one way. */
const canonical = (parts: readonly number[]): string =>
  new URL(`http://[${parts.map(part => part.toString(16)).join(':')}]`).hostname.slice(1, -1);

/** The ways to write these groups: short and padded, lower and upper case, the longest zeros left out, the last 32 bits dotted. */
function writings(parts: readonly number[]): string[] {
  const dotted = parts
    .slice(6)
    .flatMap(part => [part >> 8, part & 255])
    .join('.');
  const hex = parts.map(part => part.toString(16));
  const plain = [
    hex.join(':'),
    hex.map(part => part.padStart(4, '0')).join(':'),
    canonical(parts),
    [...hex.slice(0, 6), dotted].join(':'),
    `${canonical([...parts.slice(0, 6), 1, 1]).replace(/:1:1$/, '')}:${dotted}`,
  ];
  return plain.flatMap(text => [text, text.toUpperCase(), `${text}%eth0`]);
}

describe('networkKey', () => {
  test.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['nothing', null],
  ])('of %s is %s', (text, key) => {
    expect(networkKey(text)).toBe(key);
  });
});

describe('limitKey', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:201', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
    ['2001:DB8:0:1:AAAA::1', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    // Not mapped, though it looks alike: the deprecated compatible form, and the prefix of NAT64.
    ['::192.0.2.1', '::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b::/64'],
  ])('counts %s as %s', (text, key) => {
    expect(limitKey(text)).toBe(key);
  });

  test.each([
    '',
    ' ',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '127.0.0.256',
    '127.0.0.1 ',
    '127.0.0.1/32',
    '127.0.0.1:80',
    '127.0.0.1%eth0',
    '[::1]',
    '::1::',
    '12345::',
    '::ffff:0x7f.1',
    '::ffff:127.0.0.01',
    '2001:db8::/64',
  ])('finds no address in %j', text => {
    expect(limitKey(text)).toBeNull();
  });

  // CVE-2026-45364 (Better Auth): another spelling of an address, or another address of the /64, escaped the limit.
  test('is the same for every way to write an address of a /64, and for every address of it', () => {
    assertProperty(
      fc.property(groups, groups, (parts, others) => {
        fc.pre(parts.slice(0, 4).some(part => part !== 0));
        const neighbour = [...parts.slice(0, 4), ...others.slice(4)];
        const key = `${canonical([...parts.slice(0, 4), 0, 0, 0, 0])}/64`;
        expect([...writings(parts), ...writings(neighbour)].map(limitKey)).toEqual(new Array(30).fill(key));
      }),
    );
  });

  test('is the same for an IPv4 address and every way to map it', () => {
    assertProperty(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const mapped = [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
        expect(new Set(writings(mapped).map(limitKey))).toEqual(new Set([`${a}.${b}.${c}.${d}`]));
      }),
    );
  });

  test('differs for two networks of 64 bits', () => {
    assertProperty(
      fc.property(groups, fc.nat(3), fc.integer({ min: 1, max: 0xffff }), (parts, at, change) => {
        fc.pre(parts.slice(0, 4).some((part, index) => (index === at ? part ^ change : part) !== 0));
        const other = parts.map((part, index) => (index === at ? part ^ change : part));
        expect(limitKey(canonical(parts))).not.toBe(limitKey(canonical(other)));
      }),
    );
  });

  test('never throws', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789abcfxF:.%[]/ \n') });
    assertProperty(
      fc.property(fc.oneof(text, fc.string()), value => void limitKey(value)),
      { numRuns: runs(1_000) },
    );
  });
});

/** Spoofed values of `X-Forwarded-For`: addresses, ports, blanks, lists of them, and words that are no address. */
const spoof = fc.oneof(
  ipv4,
  groups.map(canonical),
  fc.tuple(ipv4, fc.nat(65_535)).map(([address, port]) => `${address}:${port}`),
  groups.map(parts => `[${canonical(parts)}]:443`),
  fc.constantFrom(
    '127.0.0.1',
    '::1',
    PROXY,
    'fd00::1',
    '',
    ' ',
    'unknown',
    '_hidden',
    'for=192.0.2.1',
    '0x7f.1',
    ',,,',
  ),
  fc.string({ unit: 'binary-ascii' }).map(text => text.replaceAll(',', '')),
);
const spoofs = fc.array(spoof, { maxLength: 12 }).map(entries => entries.join(', '));

describe('clientAddress without trusted proxies', () => {
  // CVE-2023-49792 (Nextcloud): the header of anybody was believed, and the limit of attempts with it.
  test('is the peer, whatever 100 headers say', () => {
    assertProperty(
      fc.property(spoofs, header => {
        expect(clientAddress(PEER, header, null)).toBe(PEER);
      }),
    );
  });

  test.each([
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('writes the peer %s as %s', (peer, address) => {
    expect(clientAddress(peer, null, null)).toBe(address);
  });

  test('is a peer that is no address as it stands', () => {
    expect(clientAddress('unknown', '192.0.2.1', { hops: 1 })).toBe('unknown');
  });
});

describe('clientAddress with hops', () => {
  test.each([
    [1, '192.0.2.1', '192.0.2.1'],
    [1, '192.0.2.1, 192.0.2.2', '192.0.2.2'],
    [2, '192.0.2.1, 192.0.2.2', '192.0.2.1'],
    [2, '192.0.2.0,192.0.2.1 ,\t192.0.2.2', '192.0.2.1'],
    // Fewer entries than proxies: the furthest that is known.
    [3, '192.0.2.1, 192.0.2.2', '192.0.2.1'],
    [1, '', PROXY],
    [1, 'unknown', PROXY],
    [2, 'unknown, 192.0.2.2', '192.0.2.2'],
    [1, '192.0.2.1:567', '192.0.2.1'],
    [1, '[2001:DB8::1]:443', '2001:db8::1'],
    [1, '[2001:db8::1]', '2001:db8::1'],
    [1, '2001:db8::1', '2001:db8::1'],
    [1, '::ffff:192.0.2.1', '192.0.2.1'],
    [1, '[192.0.2.1]', PROXY],
    [1, '192.0.2.1:', PROXY],
    [1, '192.0.2.1,', PROXY],
    [1, '0x7f.1', PROXY],
  ])('%i and the header %j is %s', (hops, header, address) => {
    expect(clientAddress(PROXY, header, { hops })).toBe(address);
  });

  test('is the peer where there is no header', () => {
    expect(clientAddress(PROXY, null, { hops: 1 })).toBe(PROXY);
  });

  // CVE-2026-45364 (Better Auth): the leftmost entry was believed, which is the caller's own.
  test('is not moved by what the caller wrote further left', () => {
    assertProperty(
      fc.property(spoofs, fc.integer({ min: 1, max: 4 }), (header, hops) => {
        const proxies = Array.from({ length: hops - 1 }, (_, index) => `10.0.1.${index}`);
        const written = [header, PEER, ...proxies].join(', ');
        expect(clientAddress(PROXY, written, { hops })).toBe(PEER);
      }),
    );
  });
});

describe('clientAddress with networks', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.0, 192.0.2.1, 10.2.3.4', '192.0.2.1'],
    ['192.0.2.1, ::ffff:10.2.3.4, fd00::1', '192.0.2.1'],
    // All entries are proxies: the answer is the furthest one.
    ['10.9.9.9, 10.2.3.4', '10.9.9.9'],
    ['192.0.2.1, unknown, 10.2.3.4', '10.2.3.4'],
    ['', PROXY],
  ])('and the header %j is %s', (header, address) => {
    expect(clientAddress(PROXY, header, NETWORKS)).toBe(address);
  });

  test('believes nothing of a peer that is in none of them', () => {
    assertProperty(
      fc.property(spoofs, header => {
        expect(clientAddress(PEER, header, NETWORKS)).toBe(PEER);
      }),
    );
  });

  test('is not moved by what the caller wrote further left', () => {
    assertProperty(
      fc.property(spoofs, fc.nat(3), (header, proxies) => {
        const written = [header, PEER, ...Array.from({ length: proxies }, (_, index) => `10.0.1.${index}`)].join(', ');
        expect(clientAddress(PROXY, written, NETWORKS)).toBe(PEER);
      }),
    );
  });

  test.each([
    ['::ffff:10.0.0.0/104', PROXY],
    ['::ffff:0:0/96', PROXY],
    ['10.0.0.1/32', '::ffff:10.0.0.1'],
    ['::1/128', '0:0:0:0:0:0:0:1'],
  ])('takes %s as holding %s', (network, peer) => {
    expect(clientAddress(peer, '192.0.2.1', { networks: [network] })).toBe('192.0.2.1');
  });

  test.each([
    ['::/0', PROXY],
    ['0.0.0.0/0', 'fd00::1'],
    ['10.0.0.0/8', '::10.0.0.1'],
    ['10.0.0.0/32', PROXY],
  ])('takes %s as not holding %s', (network, peer) => {
    expect(clientAddress(peer, '192.0.2.1', { networks: [network] })).not.toBe('192.0.2.1');
  });
});
