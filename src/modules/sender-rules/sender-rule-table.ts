/** The sender rules as a process knows them, so that no send asks the database: read at the start, and again when one changes anywhere. */
import type { SenderRules } from '../../context.ts';
import { announcing, LiveReading } from '../../db/feeds/live-reading.ts';
import type { Database } from '../../db/orm.ts';
import type { SenderRule as Rule } from '../../kernel/channel.ts';
import { SenderRule } from './sender-rule.entity.ts';

/** The NOTIFY channel on which processes announce changed rules. Its payload is empty: all are read again, which are few. */
export const SENDER_RULE_CHANNEL = 'heliograph_sender_rules';

interface SenderRuleTable extends SenderRules {
  close(): Promise<void>;
}

/** Reads the rules, and listens. @param onError gets the error of a later read that failed: the former rules hold until one succeeds @throws errors of the database */
export async function openSenderRules(database: Database, onError: (error: unknown) => void): Promise<SenderRuleTable> {
  let byCountry: SenderRules['byCountry'] = new Map();
  const read = async (): Promise<void> => {
    byCountry = Map.groupBy(await readRules(database), ({ country }) => country);
  };
  const reading = new LiveReading({ database, channel: SENDER_RULE_CHANNEL, read, onError });
  await reading.open();
  return {
    get byCountry() {
      return byCountry;
    },
    refresh: () => reading.refresh(),
    close: () => reading.close(),
  };
}

async function readRules(database: Database): Promise<Rule[]> {
  const rules = await database.fork().find(SenderRule, {}, { disableIdentityMap: true });
  return rules.map(stateOf);
}

/** The values of a stored rule. */
export function stateOf({ country, connectionId = null, alphanumeric, numericSender = null }: SenderRule): Rule {
  return { country, connectionId, alphanumeric, numericSender };
}

/** Tells every process that the rules have changed, when the transaction commits. */
export const announceSenderRules = announcing(SENDER_RULE_CHANNEL);
