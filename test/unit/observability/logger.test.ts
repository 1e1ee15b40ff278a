import { NotFoundError } from '@mikro-orm/core';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  let line = '';
  write(
    createLogger('info', {
      write: text => {
        line += text;
      },
    }),
  );
  return line;
}

test('the log of an error does not contain the row that PostgreSQL quotes', () => {
  const fault = Object.assign(new Error('new row violates a check'), {
    code: '23514',
    detail: 'Failing row contains (12025550100, Quiet harbour).',
    where: 'JSON data, line 1: {"text":"Quiet harbour"',
    parameters: ['Quiet harbour'],
  });
  const line = logged(log => log.error({ err: new Error('the batch failed', { cause: fault }) }, 'masked'));
  expect(line).toContain('new row violates a check');
  expect(line).not.toMatch(/Quiet harbour|12025550100/);
  const direct = logged(log => log.error({ err: fault }, 'masked'));
  expect(JSON.parse(direct)).toMatchObject({ err: { type: 'Error', errorCode: '23514', message: fault.message } });
  expect(direct).not.toMatch(/Quiet harbour|12025550100/);
});

test('the log of an error does not contain a quoted row that the ORM copied into its message', () => {
  const detail = 'Failing row contains (12025550100, Quiet harbour).';
  const fault = Object.assign(new Error(`new row violates a check\n - detail: ${detail}`), { code: '23514', detail });
  const line = logged(log => log.error({ err: new Error('the batch failed', { cause: fault }) }, 'masked'));
  expect(line).toContain('new row violates a check');
  expect(line).not.toMatch(/Quiet harbour|12025550100/);
});

test('the log of an error does not contain whom the ORM looked for and did not find', () => {
  const { findOneFailed, findExactlyOneFailed } = NotFoundError;
  const sought = { accountId: 'acc_1', person: '12025550100' };
  for (const fault of [findOneFailed('Suppression', sought), findExactlyOneFailed('Suppression', sought)]) {
    const line = logged(log => log.error({ err: new Error('the verb failed', { cause: fault }) }, 'masked'));
    expect(line).toContain('Suppression');
    expect(line).toContain('logger.test.ts');
    expect(line).not.toMatch(/12025550100/);
  }
});

test('the log of an error contains its stack, and a thrown value that is no error is not logged', () => {
  expect(logged(log => log.error({ err: new TypeError('no') }))).toContain('logger.test.ts');
  expect(logged(log => log.error({ err: 'Quiet harbour' }))).not.toContain('Quiet harbour');
});

test('fields that hold texts and secrets are redacted', () => {
  const line = logged(log => log.child({ token: 'hg_uni_x' }).info({ text: 'Quiet', input: { pin: '1234' } }, 'sent'));
  expect(line).not.toMatch(/hg_uni_x|Quiet|1234/);
  expect(line).toContain('[redacted]');
});
