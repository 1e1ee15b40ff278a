/** The one table of what each column may hold of a recipient. Every column of words stands here: a test compares it with the catalogue of the database. */

/**
 * `number`: an address of a recipient, which is a number or the id of a channel. `text`: words to, by or about a recipient. `mixed`: an address or words may
 * stand in it. `person`: the id of a person. `own`: words of the account, of its people or of the operator. `plain`: one of a few words, a code, an id, a
 * hash, or something sealed.
 */
type HeldKind = 'number' | 'text' | 'mixed' | 'person' | 'own' | 'plain';

/** Every column of words, by its table and its kind, parted by blanks. */
export const HELD_COLUMNS = {
  // Of sends, of what came in, and of what is told of both.
  messages: {
    number: 'recipient',
    text: 'text',
    mixed: 'cloud_template reference',
    own: 'chat_from sender',
    plain: 'area channels delivery_mode status channel under_way success_status',
  },
  attempts: {
    number: 'recipient',
    text: 'error_message',
    mixed: 'reference provider_message_id',
    own: 'sender',
    plain: 'area type channel provider status error_code country passed_over ended_as pricing',
  },
  attempt_parts: { plain: 'part_id status' },
  late_attempts: { plain: 'status was_status was_error_code' },
  follow_ups: { plain: 'kind wanted' },
  idempotency_keys: { mixed: 'reference answer', plain: 'area fingerprint' },
  otps: {
    number: 'recipient',
    text: 'template',
    own: 'chat_from sender cloud_template autofill',
    plain: 'area country channels delivery_mode nonce key_id code_mac status channel under_way success_status',
  },
  otp_recipients: { number: 'recipient', plain: 'cooldowns' },
  // Addresses of end users and starts of numbers, for a day, and of no recipient.
  otp_addresses: { plain: 'address' },
  otp_send_addresses: { plain: 'address' },
  otp_traffic: { plain: 'place' },
  inbound_messages: {
    number: 'from_number from_user_id',
    text: 'username text',
    own: 'to_address',
    plain: 'channel type',
  },
  inbound_partials: { number: 'key', text: 'parts', mixed: 'head' },
  inbound_seen: { mixed: 'provider_message_id' },
  webhook_events: { mixed: 'data', plain: 'event' },
  webhook_deliveries: { plain: 'event status error' },
  webhook_tries: { text: 'error_message response', plain: 'error' },
  sandbox_messages: { number: 'recipient', text: 'text', own: 'sender', plain: 'channel' },
  sandbox_orders: { number: 'recipient', plain: 'outcome' },
  handovers: { mixed: 'test outcome', plain: 'send_id' },
  // Of people, of consent and of chats.
  people: { text: 'name' },
  person_addresses: { number: 'value', person: 'person_id', plain: 'kind channel' },
  person_notes: { text: 'text', person: 'person_id', own: 'author' },
  auto_replies: { own: 'keyword text cloud_template' },
  auto_reply_marks: { person: 'person_id', own: 'keyword' },
  suppressions: { number: 'person', text: 'reason', plain: 'origin' },
  chat_contacts: { number: 'person' },
  chat_session_keys: { mixed: 'id', plain: 'kind value key_id' },
  chat_sessions: { own: 'error number risks_accepted_by', plain: 'state creds creds_key_id' },
  // Of accounts, their people and their money.
  accounts: { own: 'name otp_settings opt_out_settings', plain: 'time_zone country success_status' },
  tokens: { own: 'name maker_email last_used_from', plain: 'area hash prefix made_by' },
  senders: { own: 'address otp_template', plain: 'channel' },
  dashboard_users: {
    own: 'email name oidc_subject',
    plain: 'password_hash role second_factor second_factor_key_id recovery_codes reset_hash',
  },
  dashboard_sessions: { own: 'client_address user_agent', plain: 'hash operator_hash' },
  dashboard_invitations: { own: 'email invited_by', plain: 'role hash' },
  sign_in_guards: { own: 'key' },
  ledger: { mixed: 'reason reference', plain: 'kind' },
  // The trail keeps ids of requests without numbers, but older rows may hold one.
  audit_entries: { mixed: 'request_id details', own: 'client_address user_email', plain: 'action subject actor' },
  // The request log keeps words without their numbers.
  logged_requests: { own: 'client_address', plain: 'actor method path operation code field request_id' },
  plants: { own: 'name tag' },
  log_counts: { plain: 'type channel provider status error_code country' },
  log_latencies: { plain: 'channel provider' },
  // Of what the account and the operator set, and of the gateway itself.
  alert_rules: { own: 'mail slack_host', plain: 'kind slack_url slack_key_id' },
  alert_sends: { own: 'target error', plain: 'way status' },
  alert_states: { own: 'subject name' },
  alerts: { own: 'subject name', plain: 'kind' },
  blanked: { plain: 'name' },
  cloud_templates: { own: 'name components', plain: 'language category status reason' },
  connection_health: { plain: 'country reason hour day' },
  connection_quotas: { plain: 'quality business_ids' },
  connections: {
    own: 'number name health_error',
    plain: 'provider channel config config_key_id countries purposes health',
  },
  erasure_key: { plain: 'key_id sealed' },
  migrations: { plain: 'name' },
  number_turns: { own: 'number' },
  readiness: { plain: 'filling' },
  request_buckets: { plain: 'kind' },
  secret_key: { plain: 'key_id sealed' },
  sender_rules: { own: 'numeric_sender', plain: 'country alphanumeric' },
  webhook_endpoints: {
    own: 'url description',
    plain: 'events status disabled_reason secret secret_key_id previous_secret previous_secret_key_id',
  },
  webhook_listeners: { plain: 'events' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<HeldKind, string>>>>>;

type Held = typeof HELD_COLUMNS;

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text & string;

/** The columns of a table that hold something of a recipient. */
export type PersonalColumn<Table extends keyof Held> = {
  [Kind in keyof Held[Table]]: Kind extends 'own' | 'plain' ? never : Words<Held[Table][Kind]>;
}[keyof Held[Table]];

/** The tables that hold something of recipients. */
export type PersonalTable = {
  [Table in keyof Held]: [PersonalColumn<Table>] extends [never] ? never : Table;
}[keyof Held];
