/** The Slack-compatible URLs of rules: whoever has one can write there, so they are sealed in their rows. */

import { idSql } from '../../../db/statements/json.sql.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';

const PURPOSE = 'alert-url';

/** The sealed URL of a rule, as its row has it. */
interface SealedUrl {
  /** The rule, `alr_…`: its URL opens in no other row. */
  readonly id: string;
  readonly slackUrl: string;
  readonly slackKeyId: string;
}

/** Seals the URL of a rule, as the columns of its row. */
export function sealSlackUrl(keys: KeyRing, ruleId: string, url: string) {
  const { keyId, sealed } = seal(keys, PURPOSE, url, ruleId);
  return { slackUrl: sealed, slackKeyId: keyId, slackHost: new URL(url).host };
}

/** Opens the URL of a rule; null where its key is lost. Never throws. */
export function openSlackUrl(keys: KeyRing, { id, slackUrl, slackKeyId }: SealedUrl): string | null {
  return unseal(keys, PURPOSE, { keyId: slackKeyId, sealed: slackUrl }, id);
}

const FIND_FORMER = statement('find former alert urls', {
  takes: { keyIds: 'text[]' },
  gives: { uuid: 'uuid', id: 'text', slackUrl: 'text', slackKeyId: 'varchar' },
  sql: p => `select id as uuid, ${idSql('alr', 'id')} as id, slack_url as "slackUrl", slack_key_id as "slackKeyId"
    from alert_rules where slack_key_id = any(${p.keyIds})`,
});

const RESEAL_URL = statement('reseal alert url', {
  takes: { id: 'uuid', before: 'text', sealed: 'text', keyId: 'text' },
  sql: p => `update alert_rules set slack_url = ${p.sealed}, slack_key_id = ${p.keyId}
    where id = ${p.id} and slack_url = ${p.before}`,
});

/** Seals anew, under the current key, each URL that a former key sealed, so that the former key can be given up. A URL whose key is lost stays. */
export async function resealSlackUrls(sql: Sql, keys: KeyRing): Promise<void> {
  const keyIds = keys.ids.filter(id => id !== keys.currentId);
  if (keyIds.length === 0) return;
  for (const row of await FIND_FORMER.run(sql, { keyIds })) {
    const url = openSlackUrl(keys, row);
    if (url === null) continue;
    const { slackUrl, slackKeyId } = sealSlackUrl(keys, row.id, url);
    await RESEAL_URL.run(sql, { id: row.uuid, before: row.slackUrl, sealed: slackUrl, keyId: slackKeyId });
  }
}
