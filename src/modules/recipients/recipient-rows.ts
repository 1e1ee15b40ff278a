/**
 * The rows that are held of a recipient: how those of each table are found, and what an erasure makes of them. A table that is personal by `HELD_COLUMNS` and
 * has no row here, or whose personal column has no end, does not compile.
 */
import { OWN_CODES, sentenceOf } from '../../kernel/attempt-errors.ts';
import type { PersonalColumn, PersonalTable } from './held-columns.ts';

/** The values that rows are found by. */
export const FOUND_BY = {
  account: 'uuid',
  /** Whether what shared connections know counts: they are the operator's, and other accounts send by them. */
  shared: 'boolean',
  /** Numbers in digits-only form, and ids of channels. */
  addresses: 'text[]',
  people: 'uuid[]',
  /** Messages, passcodes, messages that came in, and what events about consent share. */
  sends: 'uuid[]',
  attempts: 'uuid[]',
  deliveries: 'uuid[]',
  /** The spellings of the addresses in a text. */
  spelt: 'text',
  /** The addresses as they stand in JSON. */
  quoted: 'text',
} as const;

/** The parameters in a text. */
export type Found = Readonly<Record<keyof typeof FOUND_BY, string>>;

/** The end of the rows: they are deleted, or columns get these values. `where`: of which rows; absent: of all. */
type Erasure<Column extends PropertyKey> =
  | 'deleted'
  | {
      readonly set: Readonly<Record<Column, (p: Found) => string>> & Readonly<Record<string, (p: Found) => string>>;
      readonly where?: (p: Found) => string;
    };

/** The rows of one table; all of it is SQL on the table `t`. */
export interface RecipientRows<Column extends PropertyKey = string> {
  readonly where: (p: Found) => string;
  /** The order of the rows, as text. */
  readonly key: string;
  /** Null: nothing personal is in it. */
  readonly erasure: Erasure<Column> | null;
  /** Columns that are no use to a reader: secrets, and what the gateway works by. */
  readonly hidden?: readonly string[];
}

const EMPTY = (): string => `''`;
const NULL = (): string => 'null';

const OWNED = (p: Found): string => `t.account_id = ${p.account}`;
const isTheirs =
  (column: string) =>
  (p: Found): string =>
    `${OWNED(p)} and t.${column} = any(${p.addresses})`;
const isOfSends =
  (column: string) =>
  (p: Found): string =>
    `${OWNED(p)} and t.${column} = any(${p.sends})`;
const isOfPeople =
  (column: string) =>
  (p: Found): string =>
    `t.${column} = any(${p.people})`;

/** The connections of an account, and the shared ones for the operator. */
const CONNECTIONS = (p: Found): string =>
  `(select c.id from connections c where c.account_id = ${p.account} or (${p.shared} and c.account_id is null))`;

/** A text that is left out where an address stands in it. */
const unlessSpelt =
  (column: string, otherwise = 'null') =>
  (p: Found): string =>
    `case when t.${column} ~ ${p.spelt} then ${otherwise} else t.${column} end`;

/** A text without the addresses. */
const unspelt =
  (column: string) =>
  (p: Found): string =>
    `regexp_replace(t.${column}, ${p.spelt}, '', 'g')`;

const OURS = OWN_CODES.map(code => `'${code}'`).join(', ');

/** A sentence of ours stands where a provider's words did, which may repeat the number or the text. */
const OUR_SENTENCE = (p: Found): string => `case when t.error_message is null then null
  when t.error_code in (${OURS}) then ${unspelt('error_message')(p)} else '${sentenceOf(null)}' end`;

/** A member of JSON whose value is a text, with what is behind its name. */
const member = (names: string): string => String.raw`"(${names})" ?: ?"([^"\\]|\\.)*"`;

/** The `data` of an event: addresses are empty, and words and references are null. */
const BLANK_DATA = (p: Found): string => String.raw`regexp_replace(regexp_replace(
    t.data, ${p.quoted}, '""', 'g'), '${member('text|errorMessage|username|reason|reference')}', '"\1" : null', 'g')`;

/** The rows of each table. They are erased in this order. */
export const RECIPIENT_ROWS = {
  idempotency_keys: {
    // A reference that ran out may be another send's by now.
    where: p => `${OWNED(p)} and t.message_id = any(${p.sends}) and (t.area, t.reference) in (
      select m.area, m.reference from messages m where m.id = any(${p.sends}) and m.reference is not null)`,
    key: `t.area || ' ' || t.reference`,
    erasure: {
      set: {
        // A repeat of the request finds its first answer by another reference alone.
        reference: unlessSpelt('reference', `'erased:' || t.message_id`),
        // The hash of number and text would tell the number to whoever knows the text.
        fingerprint: () => `encode(sha256(gen_random_uuid()::text::bytea), 'hex')`,
        answer: () => `regexp_replace(t.answer::text, '${member('errorMessage')}', '"\\1": null', 'g')::jsonb`,
      },
    },
    hidden: ['fingerprint'],
  },
  messages: {
    where: isOfSends('id'),
    key: 't.id::text',
    erasure: {
      set: {
        recipient: EMPTY,
        text: EMPTY,
        cloud_template: () => `t.cloud_template - 'components'`,
        reference: unlessSpelt('reference'),
      },
    },
    hidden: ['under_way', 'lease_until'],
  },
  // Before the passcodes, as a send locks both.
  otp_recipients: { where: isTheirs('recipient'), key: 't.recipient', erasure: 'deleted' },
  otps: {
    where: isOfSends('id'),
    key: 't.id::text',
    erasure: {
      set: {
        recipient: EMPTY,
        template: EMPTY,
        status: () => `case when t.status in ('pending', 'sent') then 'cancelled' else t.status end`,
      },
    },
    hidden: ['nonce', 'key_id', 'code_mac', 'under_way', 'lease_until'],
  },
  // No channel follows any more.
  follow_ups: { where: p => `t.send_id = any(${p.sends})`, key: 't.send_id::text', erasure: 'deleted' },
  handovers: {
    where: p => `t.attempt_id = any(${p.attempts})
      or (t.test->>'to' = any(${p.addresses}) and t.connection_id in ${CONNECTIONS(p)})`,
    key: 't.attempt_id::text',
    erasure: 'deleted',
  },
  attempt_parts: {
    where: p => `t.attempt_id = any(${p.attempts})`,
    key: `t.connection_id || ' ' || t.part_id`,
    erasure: null,
  },
  attempts: {
    where: p => `t.id = any(${p.attempts})`,
    key: 't.id::text',
    erasure: {
      set: {
        recipient: EMPTY,
        reference: unlessSpelt('reference'),
        error_message: OUR_SENTENCE,
        // Ids of WhatsApp hold the number.
        provider_message_id: unlessSpelt('provider_message_id'),
      },
    },
  },
  inbound_seen: {
    where: p => `t.provider_message_id ~ ${p.spelt} and t.connection_id in (
      select distinct m.connection_id from inbound_messages m where m.id = any(${p.sends})) and t.connection_id in ${CONNECTIONS(p)}`,
    key: `t.connection_id || ' ' || t.provider_message_id`,
    erasure: 'deleted',
  },
  inbound_messages: {
    where: isOfSends('id'),
    key: 't.id::text',
    erasure: {
      set: {
        from_number: NULL,
        from_user_id: NULL,
        username: NULL,
        text: () => `case when t.text is not null then '' end`,
      },
    },
  },
  inbound_partials: {
    where: p => `(t.head->>'from_number' = any(${p.addresses}) or t.head->>'from_user_id' = any(${p.addresses}))
      and coalesce((t.head->>'account_id')::uuid = ${p.account}, (
        -- Of several accounts the text may be any one's.
        select bool_or(s.account_id = ${p.account}) and (${p.shared} or count(distinct s.account_id) = 1)
        from senders s where s.address = t.head->>'to_address' and s.channel = t.head->>'channel' and s.approved_at is not null))`,
    key: `t.connection_id || ' ' || t.key`,
    erasure: 'deleted',
  },
  webhook_tries: {
    where: p => `${OWNED(p)} and t.delivery_id = any(${p.deliveries})`,
    key: 't.id::text',
    erasure: { set: { response: NULL, error_message: NULL } },
  },
  webhook_deliveries: {
    where: p => `t.id = any(${p.deliveries})`,
    key: 't.id::text',
    erasure: null,
    hidden: ['tried_by'],
  },
  webhook_events: {
    where: isOfSends('send_id'),
    key: 't.id::text',
    erasure: {
      set: {
        data: BLANK_DATA,
        // The id is made of the number.
        send_id: () => `case when t.event like 'recipient.%' then null else t.send_id end`,
      },
    },
  },
  // The texts of messages are in `messages`; those of passcodes hold codes.
  sandbox_messages: { where: isTheirs('recipient'), key: 't.id::text', erasure: 'deleted', hidden: ['text'] },
  sandbox_orders: { where: isTheirs('recipient'), key: 't.id::text', erasure: 'deleted' },
  person_notes: { where: isOfPeople('person_id'), key: 't.id::text', erasure: 'deleted' },
  auto_reply_marks: {
    where: isOfPeople('person_id'),
    key: `t.person_id || ' ' || t.keyword`,
    erasure: 'deleted',
  },
  person_addresses: { where: isOfPeople('person_id'), key: 't.value', erasure: 'deleted' },
  people: { where: isOfPeople('id'), key: 't.id::text', erasure: 'deleted' },
  // `NAME_ERASED` puts names in their place.
  suppressions: { where: isTheirs('person'), key: 't.person', erasure: 'deleted' },
  chat_contacts: {
    where: p => `t.person = any(${p.addresses}) and t.connection_id in ${CONNECTIONS(p)}`,
    key: `t.connection_id || ' ' || t.person`,
    erasure: 'deleted',
  },
  chat_session_keys: {
    where: p => `t.id ~ ${p.spelt} and t.connection_id in ${CONNECTIONS(p)}`,
    key: `t.connection_id || ' ' || t.kind || ' ' || t.id`,
    erasure: 'deleted',
    hidden: ['value', 'key_id'],
  },
  ledger: {
    where: p => `${OWNED(p)} and (t.attempt_id = any(${p.attempts})
      or (t.kind = 'adjustment' and (t.reason ~ ${p.spelt} or t.reference ~ ${p.spelt})))`,
    key: 't.id::text',
    erasure: {
      set: { reason: unspelt('reason'), reference: unlessSpelt('reference') },
      where: p => `t.kind = 'adjustment' and (t.reason ~ ${p.spelt} or t.reference ~ ${p.spelt})`,
    },
  },
  audit_entries: {
    where: p => `${OWNED(p)} and (t.details::text ~ ${p.spelt} or t.request_id ~ ${p.spelt})`,
    key: 't.id::text',
    // The address of the operator is the operator's alone.
    hidden: ['client_address'],
    erasure: {
      set: {
        details: p => `regexp_replace(t.details::text, ${p.spelt}, '', 'g')::jsonb`,
        request_id: unspelt('request_id'),
      },
    },
  },
} as const satisfies { readonly [Table in PersonalTable]: RecipientRows<PersonalColumn<Table>> } & Readonly<
  Record<string, RecipientRows>
>;
