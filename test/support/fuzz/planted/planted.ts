/** Targets with a fault in them, which a search must find. */

import { OutboundError } from '../../../../src/outbound/faults.ts';
import { createFindAddresses } from '../../../../src/outbound/target.ts';
import type { FuzzTarget } from '../search.ts';
import { quotesTarget } from '../targets/quotes.ts';
import { guardTarget } from '../targets/url-guard.ts';

/** A fault behind four bytes, each of which is asked for alone. */
const behindFourBytes: FuzzTarget = {
  name: 'planted-steps',
  tokens: [],
  seeds: ['aaaaaaaa'],
  run: input => {
    if (input[1] !== 0x22) return;
    if (input[2] !== 0x3a) return;
    if (input[3] !== 0x30) return;
    if (input[4] !== 0x5c) return;
    throw new Error('reached');
  },
};

/** A guard that goes by how private addresses are usually written. */
const guardByText: FuzzTarget = {
  ...guardTarget(() => async ({ host }) => {
    if (/^(?:10|127|192\.168|169\.254|172\.16)\./.test(host) || host === '::1' || host.includes('localhost'))
      throw new OutboundError('address_refused', 'private');
    return [host];
  }),
  name: 'planted-guard',
};

/** The real guard, but for what a name leads to, which it believes. */
const guardOfHosts: FuzzTarget = {
  ...guardTarget((allowed, resolve) => async (target, signal) => {
    const find = createFindAddresses(allowed, async () => ['93.184.216.34']);
    return (await find(target, signal)).includes('93.184.216.34') ? resolve(target.host, signal) : [target.host];
  }),
  name: 'planted-names',
};

/** A cut that finds what is quoted as a whole and letter by letter. */
const quotesByText: FuzzTarget = {
  ...quotesTarget((words, text) => words.replaceAll(text, '…')),
  name: 'planted-quotes',
};

/** Every one of them. */
export const PLANTED: readonly FuzzTarget[] = [behindFourBytes, guardByText, guardOfHosts, quotesByText];
