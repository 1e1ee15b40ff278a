/**
 * The ledger: every change of a balance. Entries are written once and never changed; the balance of an account is their sum, which the
 * database keeps (see the migration of this table).
 */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

/** The kinds of entries. */
export const LEDGER_KINDS = ['adjustment', 'hold', 'capture', 'release', 'charge'] as const;

/**
 * The kind of an entry. `adjustment`: the operator gave credits or took them away. `capture`: the provider accepted an SMS, so the held credits
 * are spent. `charge`: a receipt proved later that it did. `hold` and `release` are of former releases; a hold is a number of its send now.
 */
export type LedgerKind = (typeof LEDGER_KINDS)[number];

const LedgerEntrySchema = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    id: p.type(new IdType('led')).primary(),
    kind: p.enum([...LEDGER_KINDS]),
    /** The change of the balance: of the spendable and the held credits together. */
    credits: p.integer(),
    /** The change of the held credits. */
    held: p.integer(),
    /** The SMS attempt that it pays for; null on adjustments. */
    attemptId: p.type(new IdType('att')).nullable(),
    /** The day (UTC) whose spend it counts to. */
    spendDay: p.date().nullable(),
    /** Why the operator adjusted the balance. */
    reason: p.text().nullable(),
    /** Makes an adjustment safe to repeat; unique for its account. */
    reference: p.text().nullable(),
    createdAt: p.datetime(),
  },
  checks: [
    {
      name: 'ledger_entry_check',
      expression: `case kind
      when 'adjustment' then credits <> 0 and held = 0 and attempt_id is null and reason is not null
      when 'hold' then credits < 0 and held = -credits and attempt_id is not null
      when 'capture' then ((credits = 0 and held < 0) or (credits < 0 and held = credits)) and attempt_id is not null
      when 'release' then credits > 0 and held = -credits and attempt_id is not null
      else credits <= 0 and held = 0 and attempt_id is not null end`,
    },
  ],
  indexes: [
    // These kinds are few among the captures, and a list of them must not read through all captures.
    {
      name: 'ledger_rare_kinds_index',
      properties: ['accountId', 'kind', 'id'],
      where: "kind in ('adjustment', 'release', 'charge')",
    },
    // One capture, and one charge that came later: each can happen once. So could holds, when they were entries.
    {
      name: 'ledger_attempt_id_step_unique',
      expression: `create unique index "ledger_attempt_id_step_unique" on "ledger" ("attempt_id", (case kind when 'hold' then 1 when 'charge' then 3 else 2 end)) where attempt_id is not null`,
    },
    {
      name: 'ledger_account_id_reference_unique',
      expression: `create unique index "ledger_account_id_reference_unique" on "ledger" ("account_id", "reference") where reference is not null`,
    },
  ],
});

/** One change of a balance. */
export class LedgerEntry extends LedgerEntrySchema.class {}
LedgerEntrySchema.setClass(LedgerEntry);
