import { describe, expect, test } from 'vitest';
import { plainName, plainPath, plainRequestId } from '../../../src/observability/plain-words.policy.ts';

describe('a path that does not exist', () => {
  test.each([
    ['/api/omni/sent', '/api/omni/sent'],
    ['/api/omni/send/15550000001', '/api/omni/send/…'],
    ['/api/omni/send/Your%20code%20is%20482913', '/api/omni/send/…'],
    ['/api/hg_uni_abcdefghijklmnopqrstuvwxyz', '/api/…'],
    ['/api/omni/', '/api/omni/'],
    ['/a/b/c/d/e/f/g/h', '/a/b/c/d/e/f/…'],
    ['/', '/'],
  ])('%s is kept as %s', (path, kept) => {
    expect(plainPath(path)).toBe(kept);
  });
});

describe('a name', () => {
  test.each([
    ['sendMessage', 'sendMessage'],
    ['input.channels.0', 'input.channels.0'],
    ['X-Account-Id', 'X-Account-Id'],
    ['to_2025550100', 'to_…'],
    ['to_202_555_0100', 'to_…'],
    ['to__2__0__2__5__5__5__0__1__0__0', 'to__…'],
    ['hg_mgt_Zk3vTq9mB1xW7aLr5cYd', '…'],
    ['for_whsec_Zk3vTq9mB1xW7aLr', 'for_…'],
    ['code482', 'code…'],
    ['482913', null],
    ['Dear Ada', null],
    ['a'.repeat(65), null],
  ])('%s is kept as %s', (name, kept) => {
    expect(plainName(name)).toBe(kept);
  });
});

describe('the id of a request', () => {
  test.each([
    'req_4bccf4285f7b4532be98eafa68b29ff6',
    'cli_0199a0b1-c2d3-7e4f-8a0b-1c2d3e4f5a6b',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    '0199a0b1-c2d3-7e4f-8a0b-1c2d3e4f5a6b',
    'checkout',
  ])('%s is kept as it is', requestId => {
    expect(plainRequestId(requestId)).toBe(requestId);
  });

  test.each([
    ['hg_uni_Zk3vTq9mB1xW7aLr5cYd', '…'],
    ['order-1042', 'order-…'],
    ['12025550100', '…'],
    ['1-202-555-0100', '…'],
    ['1202555010012025', '…'],
    ['req_12025550100', 'req_…'],
  ])('%s is kept as %s', (requestId, kept) => {
    expect(plainRequestId(requestId)).toBe(kept);
  });
});
