import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runSql } from '../../../src/db/statements/sql.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type Authenticator, createAuthenticator } from '../../../src/modules/accounts/authenticate.ts';
import { reloadTokens } from '../../../src/modules/accounts/load-account.ts';
import { createToken, createTokenInput, revokeToken } from '../../../src/modules/accounts/manage-tokens.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { refusal } from '../../support/refusal.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
/** Hears nothing of changes, as a process whose notifications are lost. */
let deaf: Authenticator;

beforeEach(async () => {
  deaf = createAuthenticator(on.database, null);
});

const operator = () => on.ctxFor(OPERATOR);

interface Made {
  readonly tokenId: string;
  readonly header: string;
}

async function make(expiresAt?: Date): Promise<Made> {
  const input = createTokenInput.parse({ accountId: account.accountId, area: 'unified', expiresAt });
  const { token, secret } = await createToken(operator(), input);
  return { tokenId: token.id, header: `Bearer ${secret}` };
}

/** Sets columns of a token, by SQL. */
async function set(tokenId: string, columns: string): Promise<void> {
  await on.sql(`update tokens set ${columns} where id = $1`, [toUuid(tokenId)]);
}

/** Puts the clock by which a process forgets a second forward. */
function passASecond(): void {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
  onTestFinished(() => void vi.restoreAllMocks());
}

describe('a token that was used a moment ago', () => {
  test('opens for no more than a second once it was revoked elsewhere, though nothing was heard of it', async () => {
    const { tokenId, header } = await make();
    expect(await deaf.authenticate(header)).toMatchObject({ kind: 'token', tokenId });
    await revokeToken(operator(), tokenId);
    passASecond();
    await expect(deaf.authenticate(header)).rejects.toEqual(refusal('unauthenticated'));
  });

  test('opens for no more than a second once its time is over', async () => {
    const { tokenId, header } = await make(new Date(Date.now() + 3_600_000));
    expect(await deaf.authenticate(header)).toMatchObject({ kind: 'token', tokenId });
    await set(tokenId, 'expires_at = clock_timestamp()');
    passASecond();
    await expect(deaf.authenticate(header)).rejects.toEqual(refusal('unauthenticated'));
  });

  test('opens nothing at once where the change was heard', async () => {
    const { tokenId, header } = await make();
    await deaf.authenticate(header);
    await revokeToken(operator(), tokenId);
    deaf.forget();
    await expect(deaf.authenticate(header)).rejects.toEqual(refusal('unauthenticated'));
  });
});

describe('what lasts longer than a request', () => {
  test.each([
    ['revoked', 'revoked_at = now()'],
    ['over', 'expires_at = clock_timestamp()'],
  ])('finds a token no more that is %s', async (_name, columns) => {
    const { tokenId } = await make();
    expect((await reloadTokens(on.database.sql(), [tokenId])).get(tokenId)).toMatchObject({ tokenId });
    await set(tokenId, columns);
    expect((await reloadTokens(on.database.sql(), [tokenId])).size).toBe(0);
  });
});

describe('an expiry', () => {
  test('that is over is refused, and makes no token', async () => {
    const before = await on.sql('select count(*)::int as count from tokens');
    await expect(make(new Date(Date.now() - 1_000))).rejects.toEqual(refusal('invalid_input', 'expiresAt'));
    expect(await on.sql('select count(*)::int as count from tokens')).toEqual(before);
  });

  test('in a year that the database cannot read is refused by its name', () => {
    const late = { accountId: account.accountId, area: 'sms', expiresAt: new Date('9999-12-31T23:59:59-05:00') };
    expect(createTokenInput.safeParse(late).error?.issues).toMatchObject([{ path: ['expiresAt'] }]);
  });

  test('is judged by the clock of the database, not by that of the process', async () => {
    on.clock.set(new Date('2001-01-01T00:00:00Z'));
    const input = createTokenInput.parse({
      accountId: account.accountId,
      area: 'sms',
      expiresAt: new Date('2002-01-01T00:00:00Z'),
    });
    await expect(createToken(operator(), input)).rejects.toEqual(refusal('invalid_input', 'expiresAt'));
  });

  test('is stored to the millisecond', async () => {
    const expiresAt = new Date(Date.now() + 86_400_123);
    const { tokenId } = await make(expiresAt);
    const [row] = await on.sql<{ expires_at: Date }>('select expires_at from tokens where id = $1', [toUuid(tokenId)]);
    expect(new Date(row?.expires_at ?? 0)).toEqual(expiresAt);
  });
});

describe('the last use', () => {
  interface Use {
    readonly last_used_at: unknown;
    /** Changes with every write of the row. */
    readonly version: string;
    readonly recent: boolean | null;
  }

  async function use(tokenId: string): Promise<Use> {
    const [row] = await on.sql<Use>(
      `select last_used_at, xmin::text as version, last_used_at > now() - interval '30 seconds' as recent
       from tokens where id = $1`,
      [toUuid(tokenId)],
    );
    if (!row) throw new Error('there is no such token');
    return row;
  }

  const written = (tokenId: string): Promise<void> =>
    vi.waitFor(async () => expect((await use(tokenId)).recent).toBe(true), { timeout: 20_000, interval: 10 });

  test('is null until the token was used', async () => {
    const { tokenId } = await make();
    expect((await use(tokenId)).last_used_at).toBeNull();
  });

  test('is written when the token is used, with where from', async () => {
    const { tokenId, header } = await make();
    const from = async () =>
      (
        await on.sql<{ last_used_from: string | null }>('select last_used_from from tokens where id = $1', [
          toUuid(tokenId),
        ])
      )[0]?.last_used_from;
    await deaf.authenticate(header, undefined, () => '203.0.113.9');
    await written(tokenId);
    expect(await from()).toBe('203.0.113.9');
  });

  test('asks for an address once a second, and not for each request', async () => {
    const { header } = await make();
    const addressOf = vi.fn(() => '203.0.113.9');
    for (let n = 0; n < 3; n++) await deaf.authenticate(header, undefined, addressOf);
    expect(addressOf).toHaveBeenCalledTimes(1);
  });

  test('is written again where it is older than a minute', async () => {
    const { tokenId, header } = await make();
    await set(tokenId, "last_used_at = now() - interval '61 seconds'");
    await deaf.authenticate(header);
    await written(tokenId);
  });

  test('is left where it is younger', async () => {
    const [one, other] = [await make(), await make()];
    await set(one.tokenId, "last_used_at = now() - interval '55 seconds'");
    const before = await use(one.tokenId);
    await deaf.authenticate(one.header);
    // Writes go in order: the write for the other comes after any write for the one.
    await deaf.authenticate(other.header);
    await written(other.tokenId);
    expect((await use(one.tokenId)).version).toBe(before.version);
  });

  test('is not that of a token that is revoked', async () => {
    const [one, other] = [await make(), await make()];
    await revokeToken(operator(), one.tokenId);
    await expect(deaf.authenticate(one.header)).rejects.toEqual(refusal('unauthenticated'));
    await deaf.authenticate(other.header);
    await written(other.tokenId);
    expect((await use(one.tokenId)).last_used_at).toBeNull();
  });

  test('that cannot be written keeps nobody out', async () => {
    const { tokenId, header } = await make();
    await on.sql('alter table tokens add constraint refused check (last_used_at is null) not valid');
    try {
      expect(await deaf.authenticate(header)).toMatchObject({ tokenId });
    } finally {
      await on.sql('alter table tokens drop constraint refused');
    }
  });
});

describePostgres('the last use, while another process has the token locked', () => {
  test('is left to that process, and nobody waits', async () => {
    const { tokenId, header } = await make();
    const second = await openTestDatabase(on.testDatabase);
    await second.fork().transactional(async em => {
      await runSql(em.getKysely(), 'select 1 from tokens where id = $1 for update', [toUuid(tokenId)]);
      expect(await deaf.authenticate(header)).toMatchObject({ tokenId });
      deaf.forget();
      expect(await deaf.authenticate(header)).toMatchObject({ tokenId });
    });
    await second.close();
  });
});
