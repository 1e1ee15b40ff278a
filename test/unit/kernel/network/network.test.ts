import { describe, expect, test } from 'vitest';
import { parseNetwork } from '../../../../src/kernel/network/network.ts';

describe('parseNetwork', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.0.0.1', '10.0.0.1/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['fd00::/8', 'fd00::/8'],
    ['::1', '::1/128'],
  ])('reads %s', (text, network) => {
    expect(parseNetwork(text)).toBe(network);
  });

  test.each([
    '',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/ff',
    '10.1',
    '010.0.0.1',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    'proxy.example',
    ' 10.0.0.1',
  ])('refuses %j', text => {
    expect(parseNetwork(text)).toBeNull();
  });
});
