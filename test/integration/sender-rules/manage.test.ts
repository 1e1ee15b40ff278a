import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SenderRules } from '../../../src/context.ts';
import { AREAS } from '../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { Connection } from '../../../src/modules/connections/connection.entity.ts';
import {
  listSenderRules,
  removeSenderRule,
  setSenderRule,
} from '../../../src/modules/sender-rules/manage-sender-rules.ts';
import { openSenderRules, SENDER_RULE_CHANNEL } from '../../../src/modules/sender-rules/sender-rule-table.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { storedAudit } from '../../support/audit/audit-entries.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { refusal } from '../../support/refusal.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const operator = () => on.app.makeCtx(OPERATOR, 'test');
const allOf = ({ byCountry }: Pick<SenderRules, 'byCountry'>) => [...byCountry.values()].flat();
const known = () => allOf(on.app.services.senderRules);

let connectionId: string;

beforeEach(async () => {
  const em = on.app.services.database.fork();
  const now = new Date();
  const given = { provider: 'smpp', channel: 'sms', name: 'One', config: '', configKeyId: '00000000' } as const;
  connectionId = em.create(Connection, { id: newId('con'), ...given, createdAt: now, updatedAt: now }).id;
  await em.flush();
});

afterEach(async () => {
  await on.sql('delete from sender_rules');
  await on.app.services.senderRules.refresh();
});

const SET = /* GraphQL */ `
  mutation ($input: SetSenderRuleInput!) {
    setSenderRule(input: $input) { country connectionId alphanumeric numericSender }
  }
`;

/** Sets by GraphQL, and answers the rule, or the faults. */
async function set(input: object): Promise<unknown> {
  const { data, errors } = await on.graphql<{ setSenderRule: unknown }>(SET, {
    token: OPERATOR_TOKEN,
    variables: { input },
  });
  return data?.setSenderRule ?? errors?.flatMap<unknown>(error => error.extensions.errors ?? error.extensions.code);
}

describe('a rule', () => {
  test('is set, listed, changed and removed, and this process keeps to it at once', async () => {
    expect(await set({ country: 'us', alphanumeric: 'REFUSED' })).toEqual({
      country: 'US',
      connectionId: null,
      alphanumeric: 'REFUSED',
      numericSender: null,
    });
    expect(known()).toEqual([{ country: 'US', connectionId: null, alphanumeric: 'refused', numericSender: null }]);
    await set({ country: 'CA', alphanumeric: 'REPLACED', numericSender: '+1 555 010 0199' });
    await set({ country: 'US', alphanumeric: 'REPLACED', numericSender: '72345' });
    const { data } = await on.graphql('{ senderRules { country alphanumeric numericSender } }', {
      token: OPERATOR_TOKEN,
    });
    expect(data?.senderRules).toEqual([
      { country: 'CA', alphanumeric: 'REPLACED', numericSender: '15550100199' },
      { country: 'US', alphanumeric: 'REPLACED', numericSender: '72345' },
    ]);
    const removed = await on.graphql('mutation { removeSenderRule(country: "us") { country } }', {
      token: OPERATOR_TOKEN,
    });
    expect(removed.data).toEqual({ removeSenderRule: { country: 'US' } });
    expect(known().map(({ country }) => country)).toEqual(['CA']);
  });

  test('of a connection stands beside that of all', async () => {
    await set({ country: 'US', alphanumeric: 'REFUSED' });
    expect(await set({ country: 'US', connectionId, alphanumeric: 'ALLOWED' })).toMatchObject({ connectionId });
    expect(known()).toHaveLength(2);
    await removeSenderRule(operator(), { country: 'US' });
    expect(known()).toMatchObject([{ connectionId, alphanumeric: 'allowed' }]);
    await removeSenderRule(operator(), { country: 'US', connectionId });
    expect(known()).toEqual([]);
  });

  test('that is set by several at once is one', async () => {
    const all = ['refused', 'allowed', 'refused', 'allowed'] as const;
    await Promise.all(all.map(alphanumeric => setSenderRule(operator(), { country: 'US', alphanumeric })));
    expect(await listSenderRules(operator())).toHaveLength(1);
  });

  test.each([
    ['a country that there is not', { country: 'ZZ', alphanumeric: 'REFUSED' }, 'country', 'like US'],
    ['a letter that is two in upper case', { country: 'ß', alphanumeric: 'REFUSED' }, 'country', 'like US'],
    ['no number', { country: 'US', alphanumeric: 'REPLACED' }, 'numericSender', 'is required for replaced'],
    [
      'a number that nobody needs',
      { country: 'US', alphanumeric: 'REFUSED', numericSender: '72345' },
      'numericSender',
      'goes with replaced only',
    ],
    [
      'a name for a number',
      { country: 'US', alphanumeric: 'REPLACED', numericSender: 'ACME' },
      'numericSender',
      'must be a number',
    ],
  ])('is refused with %s', async (_what, input, field, message) => {
    expect(await set(input)).toEqual([{ field, message: expect.stringContaining(message) }]);
    expect(await listSenderRules(operator())).toEqual([]);
  });

  test('is not found of a connection that there is not, nor where it was never set', async () => {
    expect(await set({ country: 'US', connectionId: newId('con'), alphanumeric: 'REFUSED' })).toEqual(['NOT_FOUND']);
    await expect(removeSenderRule(operator(), { country: 'US' })).rejects.toEqual(refusal('not_found'));
    await expect(removeSenderRule(operator(), { country: 'US', connectionId })).rejects.toEqual(refusal('not_found'));
  });

  test.each(AREAS)('is closed to a token of the area %s', async area => {
    const ctx = on.app.makeCtx(customer.actor(area), 'test');
    const verbs = [
      listSenderRules(ctx),
      setSenderRule(ctx, { country: 'US', alphanumeric: 'refused' }),
      removeSenderRule(ctx, { country: 'US' }),
    ];
    for (const verb of verbs) await expect(verb).rejects.toEqual(refusal('wrong_area'));
  });
});

describe('the audit trail', () => {
  const entries = async () =>
    (await storedAudit(on))
      .filter(({ action }) => action.startsWith('sender_rule.'))
      .map(({ action, account_id, details }) => ({ action, account_id, details }));

  test('has what was set, what changed, and what was removed, and nothing where nothing changed', async () => {
    const before = (await entries()).length;
    await setSenderRule(operator(), { country: 'US', alphanumeric: 'refused' });
    await setSenderRule(operator(), { country: 'US', alphanumeric: 'refused' });
    await setSenderRule(operator(), { country: 'US', alphanumeric: 'replaced', numericSender: '72345' });
    await removeSenderRule(operator(), { country: 'US' });
    expect((await entries()).slice(before)).toEqual([
      {
        action: 'sender_rule.set',
        account_id: null,
        details: { country: { from: null, to: 'US' }, alphanumeric: { from: null, to: 'refused' } },
      },
      {
        action: 'sender_rule.set',
        account_id: null,
        details: {
          alphanumeric: { from: 'refused', to: 'replaced' },
          numericSender: { from: null, to: '72345' },
        },
      },
      {
        action: 'sender_rule.removed',
        account_id: null,
        details: { country: 'US', connectionId: null, alphanumeric: 'replaced', numericSender: '72345' },
      },
    ]);
  });
});

test('a connection with a rule is not deleted under it', async () => {
  await setSenderRule(operator(), { country: 'US', connectionId, alphanumeric: 'refused' });
  await expect(on.sql('delete from connections where id = $1', [toUuid(connectionId)])).rejects.toThrow(/sender_rules/);
});

describePostgres('another process', () => {
  test('hears of a rule, and of one that has gone', async () => {
    const other = await openTestDatabase(on.testDatabase);
    const rules = await openSenderRules(other, error => {
      throw error;
    });
    try {
      await setSenderRule(operator(), { country: 'US', alphanumeric: 'refused' });
      await expect.poll(() => allOf(rules)).toMatchObject([{ country: 'US', alphanumeric: 'refused' }]);
      await removeSenderRule(operator(), { country: 'US' });
      await expect.poll(() => allOf(rules)).toEqual([]);
    } finally {
      await rules.close();
      await other.close();
    }
  });

  test('keeps the rules of before while they cannot be read, and reads them when they can', async () => {
    const other = await openTestDatabase(on.testDatabase);
    const failed = Promise.withResolvers<unknown>();
    await setSenderRule(operator(), { country: 'US', alphanumeric: 'refused' });
    const rules = await openSenderRules(other, failed.resolve);
    try {
      await on.sql('alter table sender_rules rename to sender_rules_away');
      await on.sql(`select pg_notify('${SENDER_RULE_CHANNEL}', '')`);
      await failed.promise;
      expect(allOf(rules)).toMatchObject([{ country: 'US' }]);
      await on.sql('alter table sender_rules_away rename to sender_rules');
      await on.sql('delete from sender_rules');
      await expect.poll(() => allOf(rules)).toEqual([]);
    } finally {
      await on.sql('alter table if exists sender_rules_away rename to sender_rules');
      await rules.close();
      await other.close();
    }
  });
});
