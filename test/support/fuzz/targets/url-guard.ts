/** Addresses that customers may reach through the gateway. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OutboundError } from '../../../../src/outbound/faults.ts';
import { createFindAddresses, readTarget } from '../../../../src/outbound/target.ts';
import { hold, same } from '../check.ts';
import type { FuzzTarget } from '../search.ts';
import { partsOf } from './shared.ts';

/** Whether another library takes an address for one of the public internet. */
function isUnicast(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  // ipaddr.js takes `::192.0.2.1` for a mapped address: both spellings are asked.
  const hex = new URL(isIP(address) === 6 ? `http://[${address}]/` : `http://${address}/`).hostname.replace(
    /[[\]]/g,
    '',
  );
  return [address, hex].every(text => ipaddr.process(text).range() === 'unicast');
}

/** Makes the target. `isPublic`: the guard that is searched, where it is not the real one. */
export function guardTarget(findWith: typeof createFindAddresses = createFindAddresses): FuzzTarget {
  return {
    name: 'url-guard',
    tokens: [
      'http://',
      'https://',
      '127.0.0.1',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '0x7f',
      '017700000001',
      '2130706433',
      '[::1]',
      '[::ffff:',
      '64:ff9b::',
      'fe80::1%25eth0',
      'fd00::',
      '2002:7f00:1::',
      '::',
      '%',
      '@',
      ':443',
      ':8080',
      'localhost',
      '.',
      '\u3002',
      '\uff11',
      '\n',
    ].map(token => Buffer.from(token).toString('latin1')),
    seeds: [
      'https://example.com/hooks\n93.184.216.34',
      'http://127.0.0.1/\n',
      'http://0x7f.1:8080/\n',
      'http://[::ffff:10.0.0.1]/\n',
      'https://a.example\n93.184.216.34 10.0.0.1',
      'https://a.example\n2606:2800:220:1::1',
      'https://a.example\n::ffff:1.2.3.4 64:ff9b::a00:1 2002:a00:1:: fe80::1%eth0 100.64.0.1',
      'https://user:x@example.com/\n8.8.8.8',
      'http://localhost./\n',
    ],
    run: async input => {
      const [text, answers] = partsOf(input, '\n', 3);
      const target = readTarget(text);
      if (typeof target === 'string') return hold(target.startsWith('must '), `a mend that says ${target}`);
      const url = new URL(text);
      same(target.host, url.hostname.replace(/^\[(.*)\]$/, '$1'), 'the host');
      same(`${target.origin}${target.path}`, `${url.origin}${url.pathname}${url.search}`, 'the address');
      same(url.username + url.password, '', 'what stands before the host');
      const find = findWith([], async () => answers.split(' ').filter(answer => answer !== ''));
      try {
        const addresses = await find(target, new AbortController().signal);
        hold(addresses.length > 0, 'no address, and no refusal');
        hold([80, 443, 8080, 8443].includes(target.port), `the port ${target.port}`);
        for (const address of addresses) hold(isUnicast(address), `the address ${address}`);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
      }
    },
  };
}
