/** The one table of what each column may hold of a recipient. Every column of words stands here: a test compares it with the catalogue of the database. */

/**
 * `number`: an address of a recipient, which is a number or the id of a channel. `text`: words to, by or about a recipient. `mixed`: an address or words may
 * stand in it. `person`: the id of a person. `own`: words of the account, of its people or of the operator. `plain`: one of a few words, a code, an id, a
 * hash, or something sealed.
 */
export type HeldKind = 'number' | 'text' | 'mixed' | 'person' | 'own' | 'plain';

/** The columns of sends, of what came in, and of what is told of both. */
const SENDS = {
  messages: {
    area: 'plain',
    recipient: 'number',
    text: 'text',
    channels: 'plain',
    delivery_mode: 'plain',
    chat_from: 'own',
    sender: 'own',
    cloud_template: 'mixed',
    reference: 'mixed',
    status: 'plain',
    channel: 'plain',
    under_way: 'plain',
    success_status: 'plain',
  },
  attempts: {
    area: 'plain',
    type: 'plain',
    channel: 'plain',
    provider: 'plain',
    recipient: 'number',
    sender: 'own',
    reference: 'mixed',
    status: 'plain',
    error_code: 'plain',
    error_message: 'text',
    provider_message_id: 'mixed',
    country: 'plain',
    passed_over: 'plain',
    ended_as: 'plain',
    pricing: 'plain',
  },
  attempt_parts: { part_id: 'plain', status: 'plain' },
  late_attempts: { status: 'plain', was_status: 'plain', was_error_code: 'plain' },
  follow_ups: { kind: 'plain', wanted: 'plain' },
  idempotency_keys: { area: 'plain', reference: 'mixed', fingerprint: 'plain', answer: 'mixed' },
  otps: {
    area: 'plain',
    recipient: 'number',
    country: 'plain',
    channels: 'plain',
    delivery_mode: 'plain',
    chat_from: 'own',
    sender: 'own',
    cloud_template: 'own',
    template: 'text',
    autofill: 'own',
    nonce: 'plain',
    key_id: 'plain',
    code_mac: 'plain',
    status: 'plain',
    channel: 'plain',
    under_way: 'plain',
    success_status: 'plain',
  },
  otp_recipients: { recipient: 'number', cooldowns: 'plain' },
  // Addresses of end users and starts of numbers, for a day, and of no recipient.
  otp_addresses: { address: 'plain' },
  otp_send_addresses: { address: 'plain' },
  otp_traffic: { place: 'plain' },
  inbound_messages: {
    channel: 'plain',
    type: 'plain',
    from_number: 'number',
    from_user_id: 'number',
    username: 'text',
    to_address: 'own',
    text: 'text',
  },
  inbound_partials: { key: 'number', head: 'mixed', parts: 'text' },
  inbound_seen: { provider_message_id: 'mixed' },
  webhook_events: { event: 'plain', data: 'mixed' },
  webhook_deliveries: { event: 'plain', status: 'plain', error: 'plain' },
  webhook_tries: { error: 'plain', error_message: 'text', response: 'text' },
  sandbox_messages: { recipient: 'number', channel: 'plain', sender: 'own', text: 'text' },
  sandbox_orders: { recipient: 'number', outcome: 'plain' },
  handovers: { send_id: 'plain', test: 'mixed', outcome: 'mixed' },
} as const;

/** The columns of people, of consent and of chats. */
const PEOPLE = {
  people: { name: 'text' },
  person_addresses: { value: 'number', kind: 'plain', person_id: 'person', channel: 'plain' },
  person_notes: { person_id: 'person', text: 'text', author: 'own' },
  auto_replies: { keyword: 'own', text: 'own', cloud_template: 'own' },
  auto_reply_marks: { person_id: 'person', keyword: 'own' },
  suppressions: { person: 'number', origin: 'plain', reason: 'text' },
  chat_contacts: { person: 'number' },
  chat_session_keys: { kind: 'plain', id: 'mixed', value: 'plain', key_id: 'plain' },
  chat_sessions: {
    state: 'plain',
    error: 'own',
    number: 'own',
    creds: 'plain',
    creds_key_id: 'plain',
    risks_accepted_by: 'own',
  },
} as const;

/** The columns of accounts, their people and their money. */
const ACCOUNTS = {
  accounts: {
    name: 'own',
    otp_settings: 'own',
    time_zone: 'plain',
    country: 'plain',
    success_status: 'plain',
    opt_out_settings: 'own',
  },
  tokens: {
    area: 'plain',
    hash: 'plain',
    prefix: 'plain',
    name: 'own',
    made_by: 'plain',
    maker_email: 'own',
    last_used_from: 'own',
  },
  senders: { channel: 'plain', address: 'own', otp_template: 'own' },
  dashboard_users: {
    email: 'own',
    password_hash: 'plain',
    name: 'own',
    role: 'plain',
    second_factor: 'plain',
    second_factor_key_id: 'plain',
    recovery_codes: 'plain',
    oidc_subject: 'own',
    reset_hash: 'plain',
  },
  dashboard_sessions: { hash: 'plain', operator_hash: 'plain', client_address: 'own', user_agent: 'own' },
  dashboard_invitations: { email: 'own', role: 'plain', hash: 'plain', invited_by: 'own' },
  sign_in_guards: { key: 'own' },
  ledger: { kind: 'plain', reason: 'mixed', reference: 'mixed' },
  audit_entries: {
    action: 'plain',
    subject: 'plain',
    actor: 'plain',
    client_address: 'own',
    // The trail keeps it without numbers, but older rows may hold one.
    request_id: 'mixed',
    details: 'mixed',
    user_email: 'own',
  },
  // The request log keeps words without their numbers.
  logged_requests: {
    actor: 'plain',
    method: 'plain',
    path: 'plain',
    operation: 'plain',
    code: 'plain',
    field: 'plain',
    client_address: 'own',
    request_id: 'plain',
  },
  plants: { name: 'own', tag: 'own' },
  log_counts: {
    type: 'plain',
    channel: 'plain',
    provider: 'plain',
    status: 'plain',
    error_code: 'plain',
    country: 'plain',
  },
  log_latencies: { channel: 'plain', provider: 'plain' },
} as const;

/** The columns of what the account and the operator set, and of the gateway itself. */
const SETTINGS = {
  alert_rules: {
    kind: 'plain',
    mail: 'own',
    slack_url: 'plain',
    slack_key_id: 'plain',
    slack_host: 'own',
  },
  alert_sends: { way: 'plain', target: 'own', status: 'plain', error: 'own' },
  alert_states: { subject: 'own', name: 'own' },
  alerts: { kind: 'plain', subject: 'own', name: 'own' },
  blanked: { name: 'plain' },
  cloud_templates: {
    name: 'own',
    language: 'plain',
    category: 'plain',
    status: 'plain',
    reason: 'plain',
    components: 'own',
  },
  connection_health: { country: 'plain', reason: 'plain', hour: 'plain', day: 'plain' },
  connection_quotas: { quality: 'plain', business_ids: 'plain' },
  connections: {
    provider: 'plain',
    channel: 'plain',
    number: 'own',
    name: 'own',
    config: 'plain',
    config_key_id: 'plain',
    countries: 'plain',
    purposes: 'plain',
    health: 'plain',
    health_error: 'own',
  },
  erasure_key: { key_id: 'plain', sealed: 'plain' },
  migrations: { name: 'plain' },
  number_turns: { number: 'own' },
  readiness: { filling: 'plain' },
  request_buckets: { kind: 'plain' },
  secret_key: { key_id: 'plain', sealed: 'plain' },
  sender_rules: { country: 'plain', alphanumeric: 'plain', numeric_sender: 'own' },
  webhook_endpoints: {
    url: 'own',
    events: 'plain',
    description: 'own',
    status: 'plain',
    disabled_reason: 'plain',
    secret: 'plain',
    secret_key_id: 'plain',
    previous_secret: 'plain',
    previous_secret_key_id: 'plain',
  },
  webhook_listeners: { events: 'plain' },
} as const;

/** Every column of words, by its table. */
export const HELD_COLUMNS = { ...SENDS, ...PEOPLE, ...ACCOUNTS, ...SETTINGS } as const satisfies Readonly<
  Record<string, Readonly<Record<string, HeldKind>>>
>;

type Held = typeof HELD_COLUMNS;

/** The columns of a table that hold something of a recipient. */
export type PersonalColumn<Table extends keyof Held> = {
  [Column in keyof Held[Table]]: Held[Table][Column] extends 'own' | 'plain' ? never : Column;
}[keyof Held[Table]];

/** The tables that hold something of recipients. */
export type PersonalTable = {
  [Table in keyof Held]: [PersonalColumn<Table>] extends [never] ? never : Table;
}[keyof Held];
