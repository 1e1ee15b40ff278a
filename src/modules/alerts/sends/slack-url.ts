/** The Slack-compatible URLs of rules: whoever has one can write there, so they are sealed in their rows. */
import { defineReseal } from '../../../db/statements/reseal.sql.ts';
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

/** Seals anew the URLs of former keys. */
export const resealSlackUrls = defineReseal({
  table: 'alert_rules',
  column: 'slack_url',
  keyColumn: 'slack_key_id',
  prefix: 'alr',
  purpose: PURPOSE,
});
