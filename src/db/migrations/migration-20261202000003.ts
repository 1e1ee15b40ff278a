/**
 * The first schema, whole. Tables that grow (`messages`, `attempts`, events and deliveries of webhooks) are partitioned by range of their id,
 * a UUIDv7, so by time; `ensurePartitions` makes their partitions. They have no foreign keys: an account is never deleted while it has
 * rows, and a check of each row would cost the hot path more than it can find. A `fillfactor` leaves room in the page of a row that
 * changes: its next version stands beside it, and no index need hear of it.
 *
 * It has the name of the last of the 28 migrations that it replaces, so that a database of before which is up to date stays as it is.
 */
import { Migration } from '@mikro-orm/migrations';

const AREAS = `('unified', 'sms', 'otp', 'management')`;
const CHANNELS = `('chat_qr', 'chat_cloud', 'sms')`;
const ROLES = `('owner', 'developer', 'support', 'viewer')`;
const ALERT_KINDS = `('endpoint_failing', 'connection_down', 'balance_low', 'balance_runs_out', 'conversion_low', 'passcodes_blocked')`;

/** Accounts with their tokens and senders, and what tokens have left of their limit. */
const ACCOUNTS = [
  `create table accounts (
    id uuid not null,
    name text not null,
    unified_api boolean not null default true,
    plan_expires_at timestamptz null,
    credits int not null default 0,
    rate_limit int null default 100,
    created_at timestamptz not null,
    otp_settings jsonb null,
    low_balance_threshold int null,
    low_balance_since timestamptz null,
    low_balance_untold boolean not null default false,
    daily_spend_cap int null,
    spend_day date null,
    spent int not null default 0,
    held int not null default 0,
    smart_encoding boolean not null default false,
    logs_accepted boolean not null default false,
    time_zone text not null default 'UTC',
    country text null,
    second_factor_required boolean not null default false,
    primary key (id),
    constraint accounts_credits_check check (credits >= 0),
    constraint accounts_daily_spend_cap_check check (daily_spend_cap >= 0),
    constraint accounts_held_check check (held >= 0),
    constraint accounts_low_balance_threshold_check check (low_balance_threshold > 0),
    constraint accounts_rate_limit_check check (rate_limit > 0)
  ) with (fillfactor = 50)`,
  `create index accounts_low_balance_untold_index on accounts (id) where low_balance_untold`,
  `create table tokens (
    id uuid not null,
    account_id uuid not null,
    area text not null,
    hash varchar(64) not null,
    prefix varchar(16) not null,
    created_at timestamptz not null,
    revoked_at timestamptz null,
    expires_at timestamptz null,
    last_used_at timestamptz null,
    name text null,
    made_by text null,
    maker_email text null,
    last_used_from text null,
    primary key (id),
    constraint tokens_hash_unique unique (hash),
    constraint tokens_area_check check (area in ${AREAS}),
    constraint tokens_made_by_check check (made_by in ('operator', 'command_line', 'user', 'gateway')),
    constraint tokens_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create index tokens_account_id_index on tokens (account_id)`,
  `create table request_buckets (
    token_id uuid not null,
    kind text not null,
    full_at timestamptz not null,
    admitted int not null,
    primary key (token_id, kind)
  )`,
  `create table senders (
    id uuid not null,
    account_id uuid not null,
    channel text not null,
    address text not null,
    approved_at timestamptz null,
    is_default boolean not null default false,
    template_required boolean not null default true,
    created_at timestamptz not null,
    otp_template jsonb null,
    primary key (id),
    constraint senders_account_id_channel_address_unique unique (account_id, channel, address),
    constraint senders_channel_check check (channel in ${CHANNELS}),
    constraint senders_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
];

/** People who sign in, with their sessions and invitations, and what guards sign-ins. */
const PEOPLE = [
  `create table dashboard_users (
    id uuid not null,
    account_id uuid not null,
    email text not null,
    password_hash text null,
    created_at timestamptz not null,
    name text null,
    role text not null,
    password_changed_at timestamptz null,
    second_factor text null,
    second_factor_key_id varchar(8) null,
    second_factor_since timestamptz null,
    second_factor_step int null,
    recovery_codes text[] not null default '{}',
    oidc_subject text null,
    reset_hash varchar(64) null,
    reset_expires_at timestamptz null,
    primary key (id),
    constraint dashboard_users_email_unique unique (email),
    constraint dashboard_users_oidc_subject_unique unique (oidc_subject),
    constraint dashboard_users_reset_hash_unique unique (reset_hash),
    constraint dashboard_users_role_check check (role in ${ROLES}),
    constraint dashboard_users_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create index dashboard_users_account_id_index on dashboard_users (account_id)`,
  `create table dashboard_sessions (
    id uuid not null,
    hash varchar(64) not null,
    user_id uuid null,
    operator_hash varchar(64) null,
    client_address text not null,
    user_agent text null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (id),
    constraint dashboard_sessions_hash_unique unique (hash),
    constraint dashboard_sessions_user_id_foreign foreign key (user_id) references dashboard_users (id) on delete cascade
  )`,
  `create index dashboard_sessions_expires_at_index on dashboard_sessions (expires_at)`,
  `create index dashboard_sessions_user_id_index on dashboard_sessions (user_id)`,
  `create table dashboard_invitations (
    id uuid not null,
    account_id uuid not null,
    email text not null,
    role text not null,
    hash varchar(64) not null,
    invited_by text null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    accepted_at timestamptz null,
    primary key (id),
    constraint dashboard_invitations_hash_unique unique (hash),
    constraint dashboard_invitations_role_check check (role in ${ROLES}),
    constraint dashboard_invitations_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create index dashboard_invitations_account_id_index on dashboard_invitations (account_id)`,
  `create index dashboard_invitations_expires_at_index on dashboard_invitations (expires_at)`,
  `create table sign_in_guards (
    key text not null,
    failures int not null,
    over_at timestamptz not null,
    primary key (key)
  )`,
  `create index sign_in_guards_over_at_index on sign_in_guards (over_at)`,
];

/** Configured providers, and the rules for senders of SMS. */
const CONNECTIONS = [
  `create table connections (
    id uuid not null,
    account_id uuid null,
    provider text not null,
    channel text not null,
    name text not null,
    config text not null,
    config_key_id varchar(8) not null,
    priority int not null default 100,
    weight int not null default 1,
    countries text[] null,
    purposes text[] null,
    is_paused boolean not null default false,
    removed_at timestamptz null,
    health text not null default 'unknown',
    health_error text null,
    health_since timestamptz null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (id),
    constraint connections_channel_check check (channel in ${CHANNELS}),
    constraint connections_health_check check (health in ('unknown', 'up', 'down')),
    constraint connections_weight_check check (weight > 0),
    constraint connections_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create index connections_account_id_index on connections (account_id)`,
  `create table sender_rules (
    id uuid not null,
    country text not null,
    connection_id uuid null,
    alphanumeric text not null,
    numeric_sender text null,
    updated_at timestamptz not null,
    primary key (id),
    constraint sender_rules_country_connection_id_unique unique (country, connection_id),
    constraint sender_rules_alphanumeric_check check (alphanumeric in ('allowed', 'replaced', 'refused')),
    constraint sender_rules_numeric_sender_check check ((alphanumeric = 'replaced') = (numeric_sender is not null)),
    constraint sender_rules_connection_id_foreign foreign key (connection_id) references connections (id)
  )`,
  `create unique index sender_rules_country_unique on sender_rules (country) where connection_id is null`,
];

/** Messages and attempts, and what is kept beside them. */
const SENDS = [
  `create table messages (
    id uuid not null,
    account_id uuid not null,
    area text not null,
    recipient text not null,
    text text not null,
    channels text[] not null,
    delivery_mode text not null,
    chat_from text null,
    sender text null,
    cloud_template jsonb null,
    reference text null,
    status text not null,
    channel text null,
    segments int not null,
    lease_until timestamptz null,
    created_at timestamptz not null,
    under_way text null,
    held int not null default 0,
    held_on date null,
    smart_encoded boolean not null default false,
    primary key (id),
    constraint messages_area_check check (area in ${AREAS}),
    constraint messages_channel_check check (channel in ${CHANNELS}),
    constraint messages_delivery_mode_check check (delivery_mode in ('fallback', 'all')),
    constraint messages_status_check check (status in ('pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'))
  ) partition by range (id)`,
  `create index messages_account_id_area_id_index on messages (account_id, area, id) where area <> 'unified'`,
  `create index messages_account_id_id_index on messages (account_id, id)`,
  `create index messages_account_id_reference_index on messages (account_id, reference) where reference is not null`,
  `create table idempotency_keys (
    account_id uuid not null,
    area text not null,
    reference text not null,
    fingerprint varchar(64) not null,
    message_id uuid not null,
    answer jsonb null,
    expires_at timestamptz not null,
    primary key (account_id, area, reference),
    constraint idempotency_keys_area_check check (area in ${AREAS})
  )`,
  `create index idempotency_keys_expires_at_index on idempotency_keys (expires_at)`,
  `create table attempts (
    id uuid not null,
    account_id uuid not null,
    area text not null,
    type text not null,
    message_id uuid null,
    channel text null,
    provider text null,
    recipient text not null,
    sender text null,
    reference text null,
    status text not null,
    error_code text null,
    error_message text null,
    segments int not null,
    credits int not null default 0,
    provider_message_id text null,
    started_at timestamptz not null,
    finished_at timestamptz null,
    pin_id uuid null,
    country text null,
    resend int null,
    connection_id uuid null,
    passed_over jsonb null,
    reported_at timestamptz null,
    delivered_at timestamptz null,
    ended_as text null,
    primary key (id),
    constraint attempts_area_check check (area in ${AREAS}),
    constraint attempts_channel_check check (channel in ${CHANNELS}),
    constraint attempts_status_check check (status in ('pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown', 'verified', 'blocked')),
    constraint attempts_type_check check (type in ('message_attempt', 'otp_attempt', 'otp_verified', 'otp_incorrect', 'otp_expired', 'otp_blocked', 'otp_flagged'))
  ) partition by range (id)`,
  `create index attempts_account_id_area_id_index on attempts (account_id, area, id) where area <> 'unified'`,
  `create index attempts_account_id_error_code_id_index on attempts (account_id, error_code, id) where error_code is not null`,
  `create index attempts_account_id_id_index on attempts (account_id, id)`,
  `create index attempts_account_id_recipient_id_index on attempts (account_id, recipient, id)`,
  `create index attempts_connection_id_id_index on attempts (connection_id, id) where connection_id is not null`,
  `create index attempts_message_id_index on attempts (message_id)`,
  `create index attempts_pin_id_index on attempts (pin_id) where pin_id is not null`,
  `create index attempts_provider_message_id_index on attempts (provider_message_id) where provider_message_id is not null`,
  `create index attempts_stopped_index on attempts (account_id, id) where type in ('otp_blocked', 'otp_flagged')`,
  `create table attempt_parts (
    connection_id uuid not null,
    part_id text not null,
    attempt_id uuid not null,
    status text null,
    created_at timestamptz not null,
    primary key (connection_id, part_id)
  )`,
  `create index attempt_parts_attempt_id_index on attempt_parts (attempt_id)`,
  `create table routing_marks (
    process uuid not null,
    oldest uuid not null,
    seen_at timestamptz not null,
    primary key (process)
  ) with (fillfactor = 20)`,
  `create table blanked (
    name text not null,
    until uuid not null,
    primary key (name)
  )`,
];

/**
 * One-time passcodes, and what their limits count. The decoy is the OTP, with its recipient, that a verify of an unknown pin works on, so
 * that it takes as long as one of a pin that exists; it belongs to no account and has no code.
 */
const OTPS = [
  `create table otps (
    id uuid not null,
    position uuid not null,
    account_id uuid not null,
    area text not null,
    recipient text not null,
    country text null,
    channels text[] not null,
    delivery_mode text not null,
    chat_from text null,
    sender text null,
    cloud_template jsonb null,
    length int not null,
    expires_in int not null,
    template text not null,
    autofill jsonb null,
    nonce varchar(32) not null,
    key_id varchar(8) not null,
    code_mac varchar(64) not null,
    status text not null,
    channel text null,
    segments int not null,
    attempts int not null default 0,
    attempts_max int not null,
    resends int not null default 0,
    resend_available_at timestamptz not null,
    expires_at timestamptz not null,
    verified_at timestamptz null,
    lease_until timestamptz null,
    created_at timestamptz not null,
    under_way text null,
    held int not null default 0,
    held_on date null,
    smart_encoded boolean not null default false,
    primary key (id),
    constraint otps_area_check check (area in ${AREAS}),
    constraint otps_channel_check check (channel in ${CHANNELS}),
    constraint otps_delivery_mode_check check (delivery_mode in ('fallback', 'all')),
    constraint otps_status_check check (status in ('pending', 'sent', 'verified', 'expired', 'blocked', 'failed', 'cancelled'))
  ) with (fillfactor = 45)`,
  `create index otps_account_id_position_index on otps (account_id, position)`,
  `create index otps_lease_until_index on otps (lease_until) where lease_until is not null`,
  `create unique index otps_live_unique on otps (account_id, area, recipient) where status in ('pending', 'sent')`,
  `insert into otps (id, position, account_id, area, recipient, channels, delivery_mode, length, expires_in,
      template, nonce, key_id, code_mac, status, segments, attempts_max, resend_available_at, expires_at, created_at)
    select nil, nil, nil, 'management', '', '{}', 'fallback', 6, 300, '', '', '', '', 'pending', 0, 2147483647,
      'infinity', 'infinity', now()
    from (select '00000000-0000-0000-0000-000000000000'::uuid as nil) n`,
  `create table otp_recipients (
    account_id uuid not null,
    recipient text not null,
    sends timestamptz[] not null,
    wrongs timestamptz[] not null,
    cooldowns jsonb not null,
    updated_at timestamptz not null,
    primary key (account_id, recipient)
  ) with (fillfactor = 60)`,
  `create index otp_recipients_updated_at_index on otp_recipients (updated_at)`,
  `insert into otp_recipients (account_id, recipient, sends, wrongs, cooldowns, updated_at)
    values ('00000000-0000-0000-0000-000000000000', '', '{}', '{}', '{}', 'infinity')`,
  `create table otp_addresses (
    account_id uuid not null,
    address text not null,
    wrongs timestamptz[] not null,
    admitted int not null,
    updated_at timestamptz not null,
    primary key (account_id, address)
  )`,
  `create index otp_addresses_updated_at_index on otp_addresses (updated_at)`,
  `create table otp_send_addresses (
    account_id uuid not null,
    address text not null,
    sends timestamptz[] not null,
    admitted int not null,
    updated_at timestamptz not null,
    primary key (account_id, address)
  )`,
  `create index otp_send_addresses_updated_at_index on otp_send_addresses (updated_at)`,
  `create table otp_accounts (
    account_id uuid not null,
    wrongs timestamptz[] not null,
    admitted int not null,
    alarmed_at timestamptz null,
    primary key (account_id)
  ) with (fillfactor = 20)`,
  `create table otp_traffic (
    account_id uuid not null,
    place text not null,
    hour timestamptz not null,
    sent int not null,
    verified int not null,
    primary key (account_id, place, hour)
  )`,
  `create index otp_traffic_hour_index on otp_traffic (hour)`,
];

/** Figures of the log by hour: a job counts them, and until then they are read from the log itself. */
const FIGURES = [
  `create table log_counts (
    account_id uuid not null,
    hour uuid not null,
    type text not null,
    channel text not null,
    provider text not null,
    status text not null,
    error_code text not null,
    country text not null,
    entries int not null,
    credits int not null,
    primary key (account_id, hour, type, channel, provider, status, error_code, country)
  )`,
  `create table log_latencies (
    account_id uuid not null,
    hour uuid not null,
    channel text not null,
    provider text not null,
    step int not null,
    attempts int not null,
    primary key (account_id, hour, channel, provider, step)
  )`,
  `create table log_otp_counts (
    account_id uuid not null,
    hour uuid not null,
    sent int not null,
    verified int not null,
    primary key (account_id, hour)
  )`,
  `create table log_roll_up (
    id int not null,
    until uuid not null,
    primary key (id)
  )`,
  `insert into log_roll_up (id, until) values (1, '00000000-0000-0000-0000-000000000000')`,
  `create table late_attempts (
    attempt_id uuid not null,
    status text not null,
    account_id uuid not null,
    was_status text not null,
    was_error_code text null,
    was_credits int not null,
    was_left boolean not null,
    was_finished_at timestamptz null,
    primary key (attempt_id, status)
  )`,
];

/** Webhooks: endpoints, events, their deliveries and every try; and who listens to events while developing. */
const WEBHOOKS = [
  `create table webhook_endpoints (
    id uuid not null,
    account_id uuid not null,
    url text not null,
    events text[] not null,
    description text null,
    status text not null default 'enabled',
    disabled_reason text null,
    disabled_at timestamptz null,
    secret text not null,
    secret_key_id varchar(8) not null,
    previous_secret text null,
    previous_secret_key_id varchar(8) null,
    previous_secret_until timestamptz null,
    failing_since timestamptz null,
    failures int not null default 0,
    circuit_open_until timestamptz null,
    lease_by uuid null,
    lease_until timestamptz null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (id),
    constraint webhook_endpoints_disabled_reason_check check (disabled_reason in ('gone', 'failing')),
    constraint webhook_endpoints_status_check check (status in ('enabled', 'paused', 'disabled'))
  ) with (fillfactor = 50)`,
  `create index webhook_endpoints_account_id_id_index on webhook_endpoints (account_id, id)`,
  `create table webhook_events (
    id uuid not null,
    account_id uuid not null,
    event text not null,
    data text not null,
    created_at timestamptz not null,
    send_id uuid null,
    primary key (id)
  ) partition by range (id)`,
  `create index webhook_events_send_id_index on webhook_events (send_id) where send_id is not null`,
  `create table webhook_deliveries (
    id uuid not null,
    account_id uuid not null,
    endpoint_id uuid not null,
    event_id uuid not null,
    event text not null,
    is_test boolean not null default false,
    status text not null,
    tries int not null default 0,
    step int not null default 0,
    next_try_at timestamptz null,
    http_status int null,
    error text null,
    created_at timestamptz not null,
    finished_at timestamptz null,
    deaths smallint not null default 0,
    tried_by uuid null,
    tells_again boolean not null default false,
    primary key (id),
    constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'dead'))
  ) partition by range (id)`,
  `create index webhook_deliveries_endpoint_id_id_index on webhook_deliveries (endpoint_id, id)`,
  `create index webhook_deliveries_dead_index on webhook_deliveries (endpoint_id, id) where status = 'dead'`,
  `create index webhook_deliveries_due_index on webhook_deliveries (endpoint_id, next_try_at) where status = 'pending'`,
  `create table webhook_tries (
    id uuid not null,
    account_id uuid not null,
    endpoint_id uuid not null,
    delivery_id uuid not null,
    number int not null,
    http_status int null,
    duration_ms int not null,
    error text null,
    error_message text null,
    response text null,
    created_at timestamptz not null,
    primary key (id)
  ) partition by range (id)`,
  `create index webhook_tries_delivery_id_index on webhook_tries (delivery_id)`,
  `create table webhook_listeners (
    id uuid not null,
    account_id uuid not null,
    events text[] not null,
    expires_at timestamptz not null,
    primary key (id)
  )`,
  `create index webhook_listeners_account_id_index on webhook_listeners (account_id)`,
];

/**
 * The ledger. The balance of an account is the sum of its entries: triggers change it with every entry and refuse any other change.
 * Neither the ledger nor the audit trail can be rewritten. Entries of captures spend what is held, all others what can be spent.
 */
const MONEY = [
  `create table ledger (
    account_id uuid not null,
    id uuid not null,
    kind text not null,
    credits int not null,
    held int not null,
    attempt_id uuid null,
    spend_day date null,
    reason text null,
    reference text null,
    created_at timestamptz not null,
    primary key (account_id, id),
    constraint ledger_entry_check check (case kind
      when 'adjustment' then credits <> 0 and held = 0 and attempt_id is null and reason is not null
      when 'hold' then credits < 0 and held = -credits and attempt_id is not null
      when 'capture' then ((credits = 0 and held < 0) or (credits < 0 and held = credits)) and attempt_id is not null
      when 'release' then credits > 0 and held = -credits and attempt_id is not null
      else credits <= 0 and held = 0 and attempt_id is not null end),
    constraint ledger_kind_check check (kind in ('adjustment', 'hold', 'capture', 'release', 'charge'))
  )`,
  `create unique index ledger_account_id_reference_unique on ledger (account_id, reference) where reference is not null`,
  `create unique index ledger_attempt_id_step_unique on ledger
    (attempt_id, (case kind when 'hold' then 1 when 'charge' then 3 else 2 end)) where attempt_id is not null`,
  `create index ledger_rare_kinds_index on ledger (account_id, kind, id) where kind in ('adjustment', 'release', 'charge')`,
  `create function book_ledger() returns trigger language plpgsql as $$
      begin
        update accounts a
        set credits = a.credits + e.free,
            held = a.held + e.held,
            spend_day = greatest(a.spend_day, e.last_day),
            spent = case when e.last_day > coalesce(a.spend_day, '-infinity') then 0 else a.spent end - (
              select coalesce(sum(n.credits), 0) from entries n
              where n.account_id = a.id and n.kind = 'charge' and n.spend_day = greatest(a.spend_day, e.last_day))
        from (
          select account_id, sum(credits - held) as free, sum(held) as held, max(spend_day) filter (where kind = 'charge') as last_day
          from entries where credits <> 0 group by account_id
        ) e
        where a.id = e.account_id;
        return null;
      end $$`,
  `create function guard_balance() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          if new.credits <> 0 or new.held <> 0 then raise exception 'credits are changed by the ledger alone'; end if;
          return new;
        end if;
        if new.credits + new.held <> old.credits + old.held and pg_trigger_depth() < 2 then
          raise exception 'credits are changed by the ledger alone';
        end if;
        if new.low_balance_threshold is null or new.credits >= new.low_balance_threshold then
          new.low_balance_since = null;
          new.low_balance_untold = false;
        elsif old.low_balance_since is null then
          new.low_balance_since = clock_timestamp();
          new.low_balance_untold = true;
        end if;
        return new;
      end $$`,
  `create function refuse_rewriting() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name;
      end $$`,
  `create trigger accounts_guard_balance before insert or update of credits, held, low_balance_threshold on accounts
    for each row execute function guard_balance()`,
  `create trigger ledger_book after insert on ledger referencing new table as entries
    for each statement execute function book_ledger()`,
  `create trigger ledger_append_only before delete or update or truncate on ledger
    for each statement execute function refuse_rewriting()`,
];

/** Alert rules, how what they watch stands, and what was told. */
const ALERTS = [
  `create table alert_rules (
    id uuid not null,
    account_id uuid not null,
    kind text not null,
    threshold int null,
    lasting_minutes int not null,
    quiet_minutes int not null,
    mail text[] not null,
    slack_url text null,
    slack_key_id varchar(8) null,
    slack_host text null,
    is_paused boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (id),
    constraint alert_rules_kind_check check (kind in ${ALERT_KINDS}),
    constraint alert_rules_lasting_minutes_check check (lasting_minutes >= 0),
    constraint alert_rules_quiet_minutes_check check (quiet_minutes >= 0),
    constraint alert_rules_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create index alert_rules_account_id_index on alert_rules (account_id)`,
  `create table alert_states (
    rule_id uuid not null,
    subject text not null,
    name text null,
    value double precision null,
    ill_since timestamptz null,
    noted_at timestamptz not null,
    raised_at timestamptz null,
    told_since timestamptz null,
    quiet_until timestamptz null,
    primary key (rule_id, subject),
    constraint alert_states_rule_id_foreign foreign key (rule_id) references alert_rules (id) on delete cascade
  )`,
  `create table alerts (
    id uuid not null,
    account_id uuid not null,
    rule_id uuid not null,
    kind text not null,
    is_raised boolean not null,
    subject text null,
    name text null,
    value double precision null,
    threshold int null,
    since timestamptz not null,
    created_at timestamptz not null,
    primary key (id),
    constraint alerts_kind_check check (kind in ${ALERT_KINDS}),
    constraint alerts_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create index alerts_account_id_id_index on alerts (account_id, id)`,
  `create table alert_sends (
    id uuid not null,
    alert_id uuid not null,
    way text not null,
    target text not null,
    status text not null default 'pending',
    tries int not null default 0,
    error text null,
    finished_at timestamptz null,
    primary key (id),
    constraint alert_sends_status_check check (status in ('pending', 'sent', 'failed')),
    constraint alert_sends_way_check check (way in ('mail', 'slack')),
    constraint alert_sends_alert_id_foreign foreign key (alert_id) references alerts (id) on delete cascade
  )`,
  `create index alert_sends_alert_id_index on alert_sends (alert_id)`,
];

/** What phones of the sandbox got, and what they are told to report. */
const SANDBOX = [
  `create table sandbox_messages (
    id uuid not null,
    account_id uuid not null,
    recipient text not null,
    channel text not null,
    sender text null,
    text text not null,
    created_at timestamptz not null,
    primary key (id),
    constraint sandbox_messages_channel_check check (channel in ${CHANNELS})
  )`,
  `create index sandbox_messages_account_id_id_index on sandbox_messages (account_id, id)`,
  `create table sandbox_orders (
    id uuid not null,
    account_id uuid not null,
    recipient text not null,
    outcome text null,
    delay_seconds int not null,
    created_at timestamptz not null,
    primary key (id),
    constraint sandbox_orders_account_id_recipient_unique unique (account_id, recipient)
  )`,
  `create index sandbox_orders_created_at_index on sandbox_orders (created_at)`,
];

/** The audit trail, the request log, the canary of the secret key, the row that readiness writes, and plants. */
const OPERATION = [
  `create table audit_entries (
    id uuid not null,
    account_id uuid null,
    action text not null,
    subject text null,
    actor text not null,
    token_id uuid null,
    client_address text null,
    request_id text not null,
    details jsonb not null,
    created_at timestamptz not null,
    user_id uuid null,
    user_email text null,
    primary key (id),
    constraint audit_entries_actor_check check (actor in ('operator', 'token', 'user', 'stranger'))
  )`,
  `create index audit_entries_account_id_id_index on audit_entries (account_id, id)`,
  `create table logged_requests (
    id uuid not null,
    account_id uuid null,
    actor text not null,
    token_id uuid null,
    method text not null,
    path text not null,
    operation text null,
    status int not null,
    code text null,
    field text null,
    client_address text null,
    duration_ms int not null,
    request_id text not null,
    left_out int not null default 0,
    primary key (id),
    constraint logged_requests_actor_check check (actor in ('token', 'user', 'operator', 'stranger'))
  )`,
  `create index logged_requests_account_id_id_index on logged_requests (account_id, id)`,
  `create index logged_requests_request_id_index on logged_requests (request_id)`,
  `create table secret_key (
    id int not null,
    key_id varchar(8) not null,
    sealed text not null,
    sealed_at timestamptz not null,
    primary key (id),
    constraint secret_key_single_check check (id = 1)
  )`,
  `create table readiness (
    id int not null,
    at timestamptz not null,
    filling text null,
    primary key (id)
  )`,
  // As it is: what is compressed or kept elsewhere would show nothing of the room for it.
  'alter table readiness alter column filling set storage plain',
  'insert into readiness (id, at) values (1, now())',
  `create table plants (
    account_id uuid not null,
    id bigint not null,
    name text not null,
    tag text null,
    created_at timestamptz not null,
    primary key (account_id, id),
    constraint plants_account_id_foreign foreign key (account_id) references accounts (id)
  )`,
  `create trigger audit_entries_append_only before delete or update or truncate on audit_entries
    for each statement execute function refuse_rewriting()`,
  `create function in_time("by" timestamptz) returns boolean language plpgsql as $$ begin
      if clock_timestamp() > "by" then
        raise exception 'the statement came too late' using errcode = 'HG001';
      end if;
      return true;
    end $$`,
];

const ROOMS = [ACCOUNTS, PEOPLE, CONNECTIONS, SENDS, OTPS, FIGURES, WEBHOOKS, MONEY, ALERTS, SANDBOX, OPERATION];

/** Makes every table. */
export class Migration20261202000003 extends Migration {
  override up(): void {
    for (const sql of ROOMS.flat()) this.addSql(sql);
  }

  override down(): void {
    const made = (what: string): string[] =>
      ROOMS.flat().flatMap(sql => new RegExp(`^create ${what} (\\w+)`).exec(sql)?.[1] ?? []);
    for (const table of made('table').reverse()) this.addSql(`drop table ${table}`);
    for (const name of made('function')) this.addSql(`drop function ${name}`);
  }
}
