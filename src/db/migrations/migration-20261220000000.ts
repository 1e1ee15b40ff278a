/** Keeps the words of accounts in the form that texts are compared in, and numbers the changes of their lists. */
import { Migration } from '@mikro-orm/migrations';

/** A word of before in its new form, as SQL. */
const formOf = (word: string): string =>
  `regexp_replace(regexp_replace(replace(normalize(${word}, NFKC), 'İ', 'I'), '[‐-―−]', '-', 'g'), '\\s+', ' ', 'g')`;

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
