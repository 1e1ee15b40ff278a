/** The sender rules as a process knows them, so that no send asks the database: read at the start, and again when one changes anywhere. */
import type { SenderRules } from '../../context.ts';
import type { Database } from '../../db/orm.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { SenderRule } from './sender-rule.entity.ts';

/** The NOTIFY channel on which processes announce changed rules. Its payload is empty: all are read again, which are few. */
export const SENDER_RULE_CHANNEL = 'heliograph_sender_rules';

/** The wait before rules are read again that could not be read. */
const RETRY_MS = 1_000;

/** The rules of a process, until they are closed. */
export interface SenderRuleTable extends SenderRules {
  close(): Promise<void>;
}

/** Reads the rules, and listens. @param onError is told what could not be read; what was read before holds until it can. @throws what the database throws */
export async function openSenderRules(database: Database, onError: (error: unknown) => void): Promise<SenderRuleTable> {
  let all: SenderRules['all'] = [];
  let isOpen = true;
  let retry: NodeJS.Timeout | undefined;
  let reading = Promise.resolve();
  const refresh = (): Promise<void> => {
    // One after another, so that an older reading never takes the place of a newer one.
    reading = reading
      .catch(() => undefined)
      .then(async () => {
        all = await readRules(database);
      });
    return reading;
  };
  const again = (): void => {
    clearTimeout(retry);
    refresh().catch(error => {
      if (!isOpen) return;
      onError(error);
      retry = setTimeout(again, RETRY_MS).unref();
    });
  };
  const unlisten = await database.listen(SENDER_RULE_CHANNEL, again, again);
  const close = async (): Promise<void> => {
    isOpen = false;
    clearTimeout(retry);
    await unlisten();
    await reading.catch(() => undefined);
  };
  try {
    await refresh();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get all() {
      return all;
    },
    refresh,
    close,
  };
}

async function readRules(database: Database): Promise<SenderRules['all']> {
  const rules = await database.fork().find(SenderRule, {}, { disableIdentityMap: true });
  return rules.map(({ country, connectionId = null, alphanumeric, numericSender = null }) => {
    return { country, connectionId, alphanumeric, numericSender };
  });
}

/** Tells every process that the rules have changed, when the transaction of `sql` commits. */
export async function announceSenderRules(sql: Sql): Promise<void> {
  await runSql(sql, 'select pg_notify($1, $2)', [SENDER_RULE_CHANNEL, '']);
}
