/** Stores what comes by a connection itself, in its order: what can never be stored must not hold up what comes later. */
import { isMisfit, sqlState } from '../../../db/statements/sql.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { LiveConnection } from './connection-table.ts';

/**
 * Stores news. Those that the database refuses are tried once more, each by itself, and dropped then with a line in the log: without their words. Rejects for
 * any other reason: they are to come again.
 */
export async function storeNews<News>(
  log: Logger,
  { id: connectionId, providerId: provider }: Pick<LiveConnection, 'id' | 'providerId'>,
  news: readonly News[],
  store: (news: readonly News[]) => Promise<unknown>,
): Promise<void> {
  try {
    await store(news);
    return;
  } catch (error) {
    if (!isMisfit(error)) throw error;
  }
  for (const one of news)
    await store([one]).catch((error: unknown) => {
      if (!isMisfit(error)) throw error;
      const facts = { connectionId, provider, sqlState: sqlState(error) };
      log.error(facts, 'what came by a connection can never be stored; it was dropped');
    });
}
