import { expect, test } from 'vitest';
import { WHATSAPP_ERRORS } from '../../../../src/kernel/providers/whatsapp-errors.ts';
import { FAULTS } from '../../../support/whatsapp/errors.ts';

/** Errors of a config, its path and its version: as every unknown code they are the connection's. */
const OF_CONFIGS = [2500, 2635];

test('every error of Meta that the fake knows has its fault and its sentence', () => {
  const unknown = Object.keys(FAULTS).filter(code => !WHATSAPP_ERRORS.has(Number(code)));
  expect(unknown.map(Number)).toEqual(OF_CONFIGS);
});
