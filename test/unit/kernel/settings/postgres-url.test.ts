import { describe, expect, it } from 'vitest';
import { parsePostgresUrl } from '../../../../src/kernel/settings/postgres-url.ts';

function read(text: string) {
  return parsePostgresUrl(text, message => {
    throw new Error(message);
  });
}

describe('parsePostgresUrl', () => {
  it('reads user, password, host, port and database', () => {
    expect(read('postgres://me:p%40ss%2Cw%3A@db.example:6432/my%20db')).toEqual({
      hosts: [{ name: 'db.example', port: 6432 }],
      user: 'me',
      password: 'p@ss,w:',
      database: 'my db',
      tls: { mode: 'prefer', rootCertificate: null, client: null },
      applicationName: undefined,
      options: undefined,
      connectTimeoutMs: null,
      sessions: 'any',
      channelBinding: 'disable',
    });
  });

  it.each([
    ['postgres://u@a,b:1,[::1]:2,[fe80::1]/d', ['a:5432', 'b:1', '::1:2', 'fe80::1:5432']],
    ['postgres://u@/d?host=a,b&port=1,2', ['a:1', 'b:2']],
    ['postgres://u@/d?host=a,b&port=7', ['a:7', 'b:7']],
    ['postgresql://u@%2Fvar%2Frun/d', ['/var/run:5432']],
    ['postgres://u@/d?host=/var/run', ['/var/run:5432']],
    ['postgres://u:p@ss@a/d', ['a:5432']],
  ])('reads the hosts of %s', (text, hosts) => {
    expect(read(text).hosts.map(({ name, port }) => `${name}:${port}`)).toEqual(hosts);
  });

  it('reads parameters, a plus sign as one', () => {
    const text =
      'postgres://u@a/d?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem&application_name=a+b&connect_timeout=3&target_session_attrs=read-write&options=-c%20geqo%3Doff&channel_binding=require';
    expect(read(text)).toMatchObject({
      tls: { mode: 'verify-full', rootCertificate: '/ca.pem', client: { certificate: '/c.pem', key: '/k.pem' } },
      applicationName: 'a+b',
      options: '-c geqo=off',
      connectTimeoutMs: 3_000,
      sessions: 'read-write',
      channelBinding: 'require',
    });
  });

  it('takes the database for the name of the user where it is not said', () => {
    expect(read('postgres://me@a').database).toBe('me');
  });

  it.each([
    ['sslrootcert=system', 'verify-full'],
    ['ssl=true', 'require'],
    ['sslmode=', 'prefer'],
  ])('takes %s for sslmode=%s', (query, mode) => {
    expect(read(`postgres://u@a/d?${query}`).tls.mode).toBe(mode);
  });

  it.each([
    [
      'postgres://u@a/d?sslmode=no-verify',
      /sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full\.$/,
    ],
    ['postgres://u@a/d?sslmod=require', /its parameter 1 is none of host, port/],
    ['postgres://u@a/d?sslmode=require&s3cret', /its parameter 2 is none of/],
    ['postgres://u@a/d?sslmode=verify-full', /sslmode=verify-full needs sslrootcert/],
    ['postgres://u@a/d?sslmode=verify-ca', /sslmode=verify-ca needs sslrootcert/],
    ['postgres://u@a/d?sslmode=require&sslrootcert=system', /sslrootcert=system needs sslmode=verify-full/],
    ['postgres://u@a/d?sslcert=/c.pem', /sslcert and sslkey are needed together/],
    ['postgres://u@a/d?connect_timeout=soon', /connect_timeout must be/],
    ['postgres://u@a/d?target_session_attrs=master', /target_session_attrs must be one of/],
    ['postgres://u@a,b/d?port=1,2,3', /port must be one port/],
    ['postgres://u@a,/d', /names no host/],
    ['postgres://u@a:0/d', /host or port/],
    ['postgres://u@a:b:c/d', /host or port/],
    ['postgres://u:s3cret?@a/d', /percent-encode it/],
  ])('refuses %s', (text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).not.toThrow(/s3cret/);
  });
});
