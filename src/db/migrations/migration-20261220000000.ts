/** Keeps the words of accounts in the form that texts are compared in, and numbers the changes of their lists. */
import { Migration } from '@mikro-orm/migrations';

/** Marks that nobody sees, as `wordOf` leaves them out of a text. */
const UNSEEN =
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0';

const DASHES =
  '\u058a\u05be\u1400\u1806\u2010-\u2015\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u301c\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d';

/** A word of before in its new form, as SQL. It has capitals already, but for signs like `ª` that become letters. */
const formOf = (word: string): string => {
  const plain = `normalize(regexp_replace(${word}, '[${UNSEEN}]', '', 'g'), NFKC)`;
  const dashed = `regexp_replace(replace(${plain}, '\u0130', 'I'), '[${DASHES}]', '-', 'g')`;
  return `trim(upper(regexp_replace(${dashed}, '\\s+', ' ', 'g') collate "C"))`;
};

/** Makes the numbers, and brings the words of before into their form. */
export class Migration20261220000000 extends Migration {
  override up(): void {
    this.addSql('create sequence suppression_changes');
    for (const words of ['stopWords', 'startWords'])
      this.addSql(`update accounts set opt_out_settings = jsonb_set(opt_out_settings, '{${words}}', (
          select coalesce(jsonb_agg(distinct ${formOf('word')}), '[]') from jsonb_array_elements_text(opt_out_settings->'${words}') word))
        where jsonb_array_length(opt_out_settings->'${words}') > 0`);
    // Of two keywords that are one now the other stays as it is, and no text matches it.
    const form = formOf('r.keyword');
    this.addSql(`update auto_replies r set keyword = ${form} where keyword <> ${form} and not exists (
      select from auto_replies o where o.account_id = r.account_id and o.keyword <> r.keyword and ${formOf('o.keyword')} = ${form}
        and (o.keyword = ${form} or o.keyword < r.keyword))`);
  }

  override down(): void {
    // The words of before are not known, and match as well as these.
    this.addSql('drop sequence suppression_changes');
  }
}
