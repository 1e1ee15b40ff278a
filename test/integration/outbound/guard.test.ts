/** The reachable addresses: no spelling, name or change of mind of a name leads to an address that is not public. */
import { createServer as createTlsServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import { SPECIAL_IPV4 } from '../../../src/kernel/network/public-address.ts';
import type { Resolve } from '../../../src/outbound/outbound.ts';
import { HOOKS_TEST_CERTIFICATE, HOOKS_TEST_KEY } from '../../support/outbound/certificate.ts';
import {
  addressOf,
  countConnects,
  HOSTILE_HOSTS,
  listen,
  openOutbound,
  PUBLIC_HOSTS,
  post,
  serve,
} from '../../support/outbound/servers.ts';

/** Every name has these addresses. */
const always =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

/** The first and the last address of a block of IPv4. */
function endsOf(cidr: string): string[] {
  const [address = '', prefix] = cidr.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return [first, first + 2 ** (32 - Number(prefix)) - 1].map(value =>
    [24, 16, 8, 0].map(shift => (value >>> shift) & 255).join('.'),
  );
}

const REFUSED_ADDRESSES = [...new Set([...HOSTILE_HOSTS.map(addressOf), ...SPECIAL_IPV4.flatMap(endsOf)])];

describe('with no network allowed', () => {
  test.each([...HOSTILE_HOSTS, ...SPECIAL_IPV4.flatMap(endsOf)])('no connection is begun to %s', async host => {
    const connects = countConnects();
    const outbound = openOutbound({ allowedNetworks: [] });
    const results = await Promise.all(['', ':8080'].map(port => post(outbound, `http://${host}${port}/`)));
    expect(results).toMatchObject([{ code: 'address_refused' }, { code: 'address_refused' }]);
    expect(connects.count).toBe(0);
  });

  test.each(REFUSED_ADDRESSES)('no connection is begun to a name with the address %s', async address => {
    const connects = countConnects();
    const outbound = openOutbound({ allowedNetworks: [], resolve: always(address) });
    expect(await post(outbound, 'http://hooks.test/')).toMatchObject({ code: 'address_refused' });
    expect(connects.count).toBe(0);
  });

  test.each(HOSTILE_HOSTS)('the check refuses %s', async host => {
    const outbound = openOutbound({ allowedNetworks: [] });
    expect(await outbound.check(`https://${host}/hooks`)).toMatch(/^must be a public http\(s\) address; the host /);
  });

  test.each(REFUSED_ADDRESSES)('the check refuses a name with the address %s', async address => {
    const outbound = openOutbound({ allowedNetworks: [], resolve: always(address) });
    expect(await outbound.check('https://hooks.test')).toBe(
      'must be a public http(s) address; the host hooks.test has an address that is not public',
    );
  });

  test('a server on every address of this machine is never connected to', async () => {
    const peer = await serve((_request, response) => response.end(), '::');
    const outbound = openOutbound({ allowedNetworks: [] });
    const hosts = [...HOSTILE_HOSTS, 'localhost', 'localhost.', 'LOCALHOST', 'hooks.localhost'];
    await Promise.all(hosts.map(host => post(outbound, `http://${host}:${peer.port}/`)));
    expect(peer.sockets).toHaveLength(0);
  });

  test.each(PUBLIC_HOSTS)('the check lets %s pass on the ports of the web', async host => {
    const outbound = openOutbound({ allowedNetworks: [] });
    const urls = ['http://HOST', 'https://HOST/', 'http://HOST:8080/a?b', 'https://HOST:8443', 'http://HOST:443'];
    expect(await Promise.all(urls.map(url => outbound.check(url.replace('HOST', host))))).toEqual(urls.map(() => null));
  });

  test.each(PUBLIC_HOSTS)('the check refuses other ports of %s', async host => {
    const outbound = openOutbound({ allowedNetworks: [] });
    expect(await outbound.check(`http://${host}:25`)).toBe(
      'must be a public http(s) address on port 80, 443, 8080, 8443, not 25',
    );
  });
});

test('the check refuses another port before the name is looked up, where no network is allowed', async () => {
  const asked: string[] = [];
  const resolve: Resolve = async name => {
    asked.push(name);
    return [];
  };
  const outbound = openOutbound({ allowedNetworks: [], resolve });
  expect(await outbound.check('https://hooks.test:22/')).toBe(
    'must be a public http(s) address on port 80, 443, 8080, 8443, not 22',
  );
  expect(asked).toEqual([]);
});

test('the check lets a name that cannot be looked up now pass on any port, where a network is allowed', async () => {
  const outbound = openOutbound({ allowedNetworks: ['10.0.0.0/8'], resolve: always() });
  expect(await outbound.check('https://hooks.test:22/')).toBeNull();
});

test.each(['10.0.0.1', '::1', '::ffff:8.8.8.8', '', 'other.test'])(
  'a name with a public address and %j is refused whole',
  async address => {
    const connects = countConnects();
    const outbound = openOutbound({ allowedNetworks: [], resolve: always('8.8.8.8', address) });
    expect(await post(outbound, 'http://hooks.test/')).toMatchObject({ code: 'address_refused' });
    expect(connects.count).toBe(0);
  },
);

test('a name that changes its address with every look-up never leads to the address that is not allowed', async () => {
  const outside = await serve((_request, response) => {
    response.setHeader('connection', 'close').end();
  }, '127.0.0.2');
  const inside = await serve((_request, response) => response.end(), '127.0.0.1', outside.port);
  let lookups = 0;
  const resolve: Resolve = async () => [lookups++ % 2 === 0 ? '127.0.0.2' : '127.0.0.1'];
  const outbound = openOutbound({ allowedNetworks: ['127.0.0.2/32'], resolve });
  const counts = { answered: 0, address_refused: 0 };
  for (let n = 0; n < 1_000; n++) {
    const result = await post(outbound, `http://hooks.test:${outside.port}/`);
    counts[result.kind === 'answered' ? 'answered' : 'address_refused'] += 1;
  }
  expect({ ...counts, inside: inside.sockets.length }).toEqual({ answered: 500, address_refused: 500, inside: 0 });
});

test('an address in an allowed network is reached on any port', async () => {
  const peer = await serve((_request, response) => response.end('here'));
  const outbound = openOutbound({ allowedNetworks: ['127.0.0.1/32'] });
  expect(await post(outbound, `http://127.1:${peer.port}/`)).toMatchObject({ kind: 'answered', excerpt: 'here' });
});

test('the check lets an address in an allowed network pass', async () => {
  expect(await openOutbound().check('http://127.0.0.1:5555/')).toBeNull();
});

test.each(['localhost', 'localhost.', 'hooks.localhost', 'HOOKS.LOCALHOST.'])(
  '%s is this machine, by the address of it that is allowed, whatever a server of names says',
  async host => {
    const peer = await serve((_request, response) => response.end());
    const outbound = openOutbound({ allowedNetworks: ['127.0.0.0/8'], resolve: always('10.0.0.1') });
    expect(await post(outbound, `http://${host}:${peer.port}/`)).toMatchObject({ kind: 'answered' });
  },
);

test('the next address is tried where the first does not take the connection', async () => {
  const peer = await serve((_request, response) => response.end(), '127.0.0.3');
  const outbound = openOutbound({ resolve: always('127.0.0.2', '127.0.0.3') });
  expect(await post(outbound, `http://hooks.test:${peer.port}/`)).toMatchObject({ kind: 'answered', status: 200 });
});

test('of a name with hundreds of addresses eight are tried', async () => {
  const connects = countConnects();
  const addresses = Array.from({ length: 250 }, (_, n) => `127.0.1.${n + 1}`);
  const outbound = openOutbound({ resolve: always(...addresses) });
  const peer = await serve(() => undefined, '127.0.0.9');
  expect(await post(outbound, `http://hooks.test:${peer.port}/`)).toMatchObject({ code: 'connection_failed' });
  expect(connects.count).toBe(8);
});

test('redirects are not followed', async () => {
  const inside = await serve((_request, response) => response.end());
  const location = `http://127.0.0.1:${inside.port}/`;
  const outbound = openOutbound();
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    const peer = await serve((_request, response) => response.writeHead(status, { location }).end());
    expect(await post(outbound, `http://127.0.0.1:${peer.port}/`)).toMatchObject({ kind: 'answered', status });
  }
  expect(inside.sockets).toHaveLength(0);
});

describe('URLs that may not be used', () => {
  test.each([
    ['', 'must be a whole URL, such as https://example.com/hooks'],
    ['/hooks', 'must be a whole URL, such as https://example.com/hooks'],
    ['https://', 'must be a whole URL, such as https://example.com/hooks'],
    ['https://exa mple.com', 'must be a whole URL, such as https://example.com/hooks'],
    ['http://8.8.8.256/', 'must be a whole URL, such as https://example.com/hooks'],
    ['ftp://example.com/', 'must begin with https:// or http://'],
    ['file:///etc/passwd', 'must begin with https:// or http://'],
    ['gopher://example.com:80/', 'must begin with https:// or http://'],
    ['javascript:alert(1)', 'must begin with https:// or http://'],
    [
      'https://user@example.com/',
      'must not hold a user name or a password; the signature of each delivery proves who sent it',
    ],
    [
      'https://:word@example.com/',
      'must not hold a user name or a password; the signature of each delivery proves who sent it',
    ],
    [`https://example.com/${'a'.repeat(2_029)}`, 'must be at most 2048 characters'],
  ])('the check refuses %j', async (url, mend) => {
    expect(await openOutbound().check(url)).toBe(mend);
  });

  test('a URL of 2,048 characters passes', async () => {
    const outbound = openOutbound({ resolve: always('8.8.8.8') });
    expect(await outbound.check(`https://example.com/${'a'.repeat(2_028)}`)).toBeNull();
  });

  test('a post to one fails with the reason', async () => {
    expect(await post(openOutbound(), 'ftp://example.com/')).toEqual({
      kind: 'failed',
      code: 'address_refused',
      message: 'The URL must begin with https:// or http://.',
      durationMs: 0,
    });
  });
});

describe('TLS', () => {
  const secure = () =>
    createTlsServer({ key: HOOKS_TEST_KEY, cert: HOOKS_TEST_CERTIFICATE }, (_request, response) =>
      response.end('safe'),
    );

  test('a certificate that signs itself is not believed', async () => {
    const peer = await listen(secure());
    const result = await post(openOutbound({ resolve: always('127.0.0.1') }), `https://hooks.test:${peer.port}/`);
    expect(result).toMatchObject({
      code: 'tls_failed',
      message: expect.stringMatching(
        /^No secure connection to hooks\.test could be made \(DEPTH_ZERO_SELF_SIGNED_CERT\)\./,
      ),
    });
  });

  test('a certificate for the name passes though the connection is made to the address', async () => {
    const peer = await listen(secure());
    const outbound = openOutbound({ resolve: always('127.0.0.1'), ca: HOOKS_TEST_CERTIFICATE });
    const results = await Promise.all(
      ['hooks.test', 'hooks.test.'].map(host => post(outbound, `https://${host}:${peer.port}/`)),
    );
    expect(results).toMatchObject([{ excerpt: 'safe' }, { excerpt: 'safe' }]);
  });

  test.each(['other.test', '127.0.0.1'])('a certificate for another name than %s is not believed', async host => {
    const peer = await listen(secure());
    const outbound = openOutbound({ resolve: always('127.0.0.1'), ca: HOOKS_TEST_CERTIFICATE });
    expect(await post(outbound, `https://${host}:${peer.port}/`)).toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('(ERR_TLS_CERT_ALTNAME_INVALID)'),
    });
  });

  test('a server that does not speak TLS is told apart from one that does not listen', async () => {
    const peer = await serve((_request, response) => response.end());
    expect(await post(openOutbound(), `https://127.0.0.1:${peer.port}/`)).toMatchObject({ code: 'tls_failed' });
  });
});

test('what a customer is told holds no address but the host it gave', async () => {
  const outbound = openOutbound({
    allowedNetworks: ['127.0.0.0/8'],
    resolve: async name => [name.startsWith('in') ? '10.1.2.3' : '127.9.8.7'],
  });
  const results = await Promise.all(
    ['http://inside.test', 'http://hooks.test:9', 'https://hooks.test:9'].map(url => post(outbound, url)),
  );
  expect(JSON.stringify(results)).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
});

test('a network that is allowed does not open the others', async () => {
  const peer = await serve((_request, response) => response.end());
  await post(openOutbound({ allowedNetworks: ['10.0.0.0/8'] }), `http://127.0.0.1:${peer.port}/`);
  expect(peer.sockets).toHaveLength(0);
});
