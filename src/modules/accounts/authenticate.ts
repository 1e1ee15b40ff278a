/** Authentication: finds the actor of a bearer token, for both transports and the command line. */
import DataLoader from 'dataloader';
import type { Actor } from '../../context.ts';
import { unavailable } from '../../db/batch.ts';
import { announcing } from '../../db/feeds/live-reading.ts';
import type { Database } from '../../db/orm.ts';
import { answeredIn } from '../../db/postgres/bounded-client.ts';
import { isUnavailable } from '../../db/statements/sql.ts';
import { hashToken, secretsEqual } from '../../kernel/crypto/secrets.ts';
import { AppError } from '../../kernel/errors.ts';
import { loadActedFor, loadUsedTokens, type TokenGrant, type TokenUse, touchTokens } from './load-account.ts';
import { loadSession } from './sign-in/load-session.ts';
import { checkFollowers } from './still-allowed.ts';

/** How long a live token is cached in this process (architecture, Growth). */
const CACHE_MS = 1_000;

/** The time-out of a token look-up: less than a statement's, since the request's own statements come after it. */
const ANSWER_MS = 5_000;

/** The size of the token cache; when it is full, it is cleared. */
const CACHE_SIZE_MAX = 10_000;

/** The NOTIFY channel on which processes announce changed accounts, tokens and senders. */
export const ACCOUNT_CHANNEL = 'heliograph_accounts';

type AddressOf = () => string;

/** Finds out who asks. */
export interface Authenticator {
  /**
   * The actor of an `Authorization` header; `accountId` is for operators.
   * @param addressOf called only where the token is looked up, once a second at most
   * @throws AppError `unauthenticated`, `not_found` (account)
   */
  authenticate(authorization: string | undefined, accountId?: string, addressOf?: AddressOf): Promise<Actor>;
  /** The actor of a session's token, `anonymous` if the session is over; `accountId` is for operators. @throws AppError `not_found` (account), `database_unavailable` */
  session(token: string, accountId?: string): Promise<Actor>;
  /** Clears the cache and checks who follows something, so that a change takes effect now. */
  forget(): void;
}

/** A token that was shown, by its hash, and from where. */
interface Sighting {
  readonly hash: string;
  readonly address: string | null;
}

/** Makes the authenticator of a process. `operatorToken` null: the operator's fields are closed. */
export function createAuthenticator(database: Database, operatorToken: string | null): Authenticator {
  const kept = new Map<string, { grant: TokenGrant; untilMs: number }>();
  const sessions = new Map<string, { actor: Actor; untilMs: number }>();
  // Concurrent requests share one look-up.
  const lookup = new DataLoader<Sighting, TokenGrant | null>(
    async sightings => {
      const hashes = sightings.map(({ hash }) => hash);
      const { grants, stale } = await answeredIn(ANSWER_MS, loadUsedTokens(database.sql(), hashes));
      const addresses = new Map(sightings.map(({ hash, address }) => [hash, address]));
      noteUse(
        database,
        stale.map(({ tokenId, hash }) => ({ tokenId, address: addresses.get(hash) ?? null })),
      );
      return hashes.map(hash => grants.get(hash) ?? null);
    },
    { cache: false, maxBatchSize: 256 },
  );
  // A token that was read before a change was announced is answered, but not cached.
  let changes = 0;
  const find = async (hash: string, address: string | null): Promise<TokenGrant | null> => {
    const changesBefore = changes;
    // From before the query: a slow answer may be that old.
    const untilMs = performance.now() + CACHE_MS;
    const grant = await lookup.load({ hash, address });
    if (kept.size >= CACHE_SIZE_MAX) kept.clear();
    if (grant && changes === changesBefore) kept.set(hash, { grant, untilMs });
    return grant;
  };
  return {
    async authenticate(authorization, accountId, addressOf) {
      const token = bearerToken(authorization);
      if (token === null) return { kind: 'anonymous' };
      const hash = hashToken(token).toString('hex');
      const known = kept.get(hash);
      if (known && known.untilMs > performance.now()) return { kind: 'token', ...known.grant };
      try {
        if (operatorToken !== null && secretsEqual(token, operatorToken))
          return { kind: 'operator', account: await answeredIn(ANSWER_MS, loadActedFor(database, accountId)) };
        const grant = await find(hash, addressOf?.() ?? null);
        if (grant) return { kind: 'token', ...grant };
      } catch (error) {
        throw isUnavailable(error) ? unavailable(error) : error;
      }
      throw new AppError('unauthenticated', 'The token is not valid: it is unknown, or was revoked.');
    },
    async session(token, accountId) {
      const key = `${hashToken(token).toString('hex')} ${accountId ?? ''}`;
      const known = sessions.get(key);
      if (known && known.untilMs > performance.now()) return known.actor;
      const [changesBefore, untilMs] = [changes, performance.now() + CACHE_MS];
      try {
        const actor = await answeredIn(ANSWER_MS, loadSession({ database, operatorToken }, token, accountId));
        if (!actor) return { kind: 'anonymous' };
        if (sessions.size >= CACHE_SIZE_MAX) sessions.clear();
        if (changes === changesBefore) sessions.set(key, { actor, untilMs });
        return actor;
      } catch (error) {
        throw isUnavailable(error) ? unavailable(error) : error;
      }
    },
    forget() {
      changes += 1;
      kept.clear();
      sessions.clear();
      checkFollowers(database);
    },
  };
}

/** Stores the last use of tokens in the background. The request neither waits nor fails; the next look-up retries. */
function noteUse(database: Database, uses: readonly TokenUse[]): void {
  if (uses.length > 0) void touchTokens(database.sql(), uses).catch(() => undefined);
}

function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization);
  if (!match?.[1]) throw new AppError('unauthenticated', 'The header Authorization must be "Bearer <token>".');
  return match[1];
}

/** Clears the token caches of all processes, when the transaction commits. */
export const announceAccountChange = announcing(ACCOUNT_CHANNEL);
