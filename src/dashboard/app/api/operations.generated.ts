/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The risks of a linked number: A linked number is no official API: it is against the terms of WhatsApp, which bans numbers for it, for good and without a warning. Use a number that you can lose, write to people who asked for it, and never make it the only way of a passcode. */
export type AcceptChatRisksInput = {
  /** The connection. */
  connectionId: string;
  /** The name of the person who accepts them, for the audit trail. */
  name: string;
};

/** A person who was invited. */
export type AcceptInvitationInput = {
  /** How the person is called, 1 to 100 characters. */
  name?: string | null | undefined;
  /** The new password, 12 to 128 characters. One that is easy to guess is refused: a repetition, a sequence, a common password, the e-mail address. */
  password: string;
  /** The token of the link: what stands after `#`. */
  token: string;
};

/** A note about a person, for those who answer them. */
export type AddNoteInput = {
  /** The note, 1 to 2000 characters. */
  text: string;
  /** The person: a phone number, the id that a channel has in its place, or `prs_…`. */
  to: string;
};

/** Credits that are given to an account or taken away. */
export type AdjustBalanceInput = {
  /** The account. */
  accountId: string;
  /** How many, up to 1,000,000,000; below 0: taken away. */
  credits: number;
  /** Why, 1 to 500 characters; the account sees it in its ledger. */
  reason: string;
  /** Makes it safe to repeat: 1 to 255 visible ASCII characters, unique for the account. */
  reference?: string | null | undefined;
};

/** What an alert rule is about. */
export type AlertKind =
  /** The credits fall below a sum. */
  | 'BALANCE_LOW'
  /** The credits last fewer days than that, at the pace of the last 7. */
  | 'BALANCE_RUNS_OUT'
  /** A connection to a provider is down. */
  | 'CONNECTION_DOWN'
  /** Of the passcodes of an hour fewer are verified than that; looked at where 20 or more were sent. */
  | 'CONVERSION_LOW'
  /** A webhook endpoint fails, or was disabled for it. */
  | 'ENDPOINT_FAILING'
  /** WhatsApp lets a linked number write to nobody new. */
  | 'NUMBER_LOCKED'
  /** The fraud guard refuses a burst: so many passcodes within an hour, or more. */
  | 'PASSCODES_BLOCKED';

/** What became of an alert on its way. */
export type AlertSendStatus =
  /** It was given up. */
  | 'FAILED'
  /** It is on its way, or tried again. */
  | 'PENDING'
  /** It was taken. */
  | 'SENT';

/** What the threshold of a rule counts. */
export type AlertUnit =
  /** Credits that can be spent. */
  | 'CREDITS'
  /** Days that the credits last. */
  | 'DAYS'
  /** Passcodes within an hour. */
  | 'PASSCODES'
  /** Per cent of the passcodes of an hour. */
  | 'PERCENT';

/** How an alert goes to people. */
export type AlertWay =
  /** By mail. */
  | 'MAIL'
  /** To a URL that takes `{"text": "…"}`. */
  | 'SLACK';

/** What a token opens. */
export type Area =
  /** Webhooks, senders and the log, and the export and erasure of recipients; it sends nothing. */
  | 'MANAGEMENT'
  /** Passcodes by SMS. */
  | 'OTP'
  /** Direct SMS. */
  | 'SMS'
  /** The unified API: messages and passcodes over every channel. */
  | 'UNIFIED';

/** Who changed something. */
export type AuditActor =
  /** The operator of the gateway. */
  | 'OPERATOR'
  /** Somebody who is not signed in: a sign-in was refused. */
  | 'STRANGER'
  /** Who has a token of the account. */
  | 'TOKEN'
  /** A person who is signed in to the account. */
  | 'USER';

/** Which entries to list; what is absent does not narrow. */
export type AuditFilter = {
  /** Entries of this action, such as `token.revoked`; `auditActions` lists them. */
  action?: string | null | undefined;
  /** Entries made at this time or later. */
  from?: string | null | undefined;
  /** Entries about the thing with this id. */
  subject?: string | null | undefined;
  /** Entries made before this time. */
  to?: string | null | undefined;
};

/** A new password, and the one that it is for. */
export type ChangePasswordInput = {
  /** The present password. */
  current: string;
  /** The new password, 12 to 128 characters. One that is easy to guess is refused: a repetition, a sequence, a common password, the e-mail address. */
  new: string;
};

/** A way to the recipient. */
export type Channel =
  /** The cloud API of a chat. Needs `cloudTemplate` where the cloud number takes templates only. */
  | 'CHAT_CLOUD'
  /** A chat sender linked by QR. Needs `chatFrom`. */
  | 'CHAT_QR'
  /** SMS. Needs `sender`, an approved sender name. */
  | 'SMS';

/** Why a character makes an SMS longer. */
export type CharacterCost =
  /** It is in the extension table of the GSM alphabet, and takes two places. */
  | 'DOUBLE'
  /** It is not in the GSM alphabet, and makes the whole text UCS-2. */
  | 'UCS2';

/** How the number of a connection is linked. */
export type ChatSessionState =
  /** The chat has banned the number. */
  | 'BANNED'
  /** It is linked. */
  | 'LINKED'
  /** The chat does not take this version of its protocol any more. */
  | 'OUTDATED'
  /** The phone does not know it any more: link it again. */
  | 'RELINK'
  /** Another program opened it with the same keys: end that one, and link it again. */
  | 'REPLACED'
  /** It was not linked yet, or was unlinked. */
  | 'UNLINKED';

/** Which templates to list; what is absent does not narrow. */
export type CloudTemplateFilter = {
  /** Those of this category, like `AUTHENTICATION`. */
  category?: string | null | undefined;
  /** Those of this connection. */
  connectionId?: string | null | undefined;
  /** Those in this language, like `en_US`. */
  language?: string | null | undefined;
  /** Those whose names hold this. */
  name?: string | null | undefined;
  /** Those with this status, like `APPROVED`. */
  status?: string | null | undefined;
};

/** An approved template of the cloud channel. */
export type CloudTemplateInput = {
  /** The components of the template, handed to the provider as they are. */
  components?: Array<Record<string, unknown>> | null | undefined;
  /** Language of the template, like `en_US`. */
  language: string;
  /** Name of the template. */
  name: string;
};

/** What shows that the app has the secret. */
export type ConfirmSecondFactorInput = {
  /** A code of the app; blanks do not count. */
  code: string;
};

/** Why a connection is asked, or is not. */
export type ConnectionVerdict =
  /** It is not for the country of the recipient. */
  | 'COUNTRY'
  /** It is down, and is asked last. */
  | 'DOWN'
  /** It is asked first. */
  | 'FIRST'
  /** It follows where those before it could not send. */
  | 'FOLLOWS'
  /** Its number writes to nobody new for now, and the recipient is new to it. */
  | 'KNOWN_ONLY'
  /** It has another number than the chat, in which free text goes. */
  | 'NUMBER'
  /** It is paused. */
  | 'PAUSED'
  /** It is not for messages, or not for passcodes. */
  | 'PURPOSE'
  /** It is sick, and is asked after those that are well; where none is, by its priority. */
  | 'SICK'
  /** It is sick, and keeps its place for this recipient, one of few, to see whether it is well again. */
  | 'TRIAL'
  /** Its config cannot be read: its secret key is lost, or a newer gateway made it. */
  | 'UNUSABLE';

/** A new rule. What is absent is as `alertSettings` offers it. */
export type CreateAlertRuleInput = {
  /** What it is about. */
  kind: AlertKind;
  /** How long it must last before it is told, in minutes. */
  lastingMinutes?: number | null | undefined;
  /** The addresses that get a mail, at most 5. */
  mail?: Array<string> | null | undefined;
  /** How long nothing more is told of the same thing, in minutes, 5 at least; that it is well again is told at once. */
  quietMinutes?: number | null | undefined;
  /** A URL that takes `{"text": "…"}`, as incoming webhooks of Slack, Mattermost, Rocket.Chat and Google Chat do; it is never shown again. */
  slackUrl?: string | null | undefined;
  /** How many, in the `unit` of its kind; absent: what is offered. */
  threshold?: number | null | undefined;
};

/** A new connection. */
export type CreateConnectionInput = {
  /** The account; absent: shared by all. */
  accountId?: string | null | undefined;
  /** The channel. */
  channel: Channel;
  /** What the provider needs; `providers` has its schema. */
  config: Record<string, unknown>;
  /** The recipients’ countries, ISO 3166-1 alpha-2; absent: all. */
  countries?: Array<string> | null | undefined;
  /** What people call it, 1 to 100 characters. */
  name: string;
  /** The lowest goes first, 0 to 10,000; 100 where absent. */
  priority?: number | null | undefined;
  /** The id of the provider. */
  provider: string;
  /** What it sends; absent: all. */
  purposes?: Array<Purpose> | null | undefined;
  /** Its share of the recipients among connections with the same priority, 1 to 1,000; 1 where absent. */
  weight?: number | null | undefined;
};

/** A template for codes. */
export type CreateOtpTemplateInput = {
  /** Whether its text asks to tell the code to nobody; absent: it does. */
  addSecurityRecommendation?: boolean | null | undefined;
  /** How long its text says that a code is good, 1 to 90; absent: it does not say. */
  codeExpirationMinutes?: number | null | undefined;
  /** The connection whose business account gets it. */
  connectionId: string;
  /** Its language in the notation of the provider, like `en_US`. */
  language: string;
  /** Its name: 1 to 512 small letters, digits or `_`. */
  name: string;
};

/** A new token. */
export type CreateTokenInput = {
  /** The account that it opens. */
  accountId: string;
  /** The area that it opens. */
  area: Area;
  /** When it stops to open anything, a time in the future; absent or null: never by itself. */
  expiresAt?: string | null | undefined;
  /** What people call it, 1 to 100 characters; absent or null: nothing. */
  name?: string | null | undefined;
};

/** A new endpoint. */
export type CreateWebhookEndpointInput = {
  /** What it is for, for people, at most 500 characters. */
  description?: string | null | undefined;
  /** The events that it gets, at least one, each once. */
  events: Array<string>;
  /** Where events are posted to: http or https, a public address, at most 2,048 characters, no fragment. */
  url: string;
};

/** How several channels are used. */
export type DeliveryMode =
  /** All at once; the message is sent if any was accepted. */
  | 'ALL'
  /** One after another, the next as soon as one fails; stops at the first that the provider accepts. */
  | 'FALLBACK';

/** What the fraud guard does with an OTP that it finds suspicious. */
export type FraudMode =
  /** The OTP is refused. Needs `countries`. */
  | 'BLOCK'
  /** The OTP is sent, and the log says what `BLOCK` would have refused. */
  | 'OBSERVE'
  /** Nothing is checked. */
  | 'OFF';

/** What became of a hand-over. */
export type HandOverOutcome =
  /** The provider took it. */
  | 'ACCEPTED'
  /** The provider refused it. */
  | 'REJECTED'
  /** The provider takes no more for now. */
  | 'THROTTLED'
  /** The provider could not be reached, and has nothing of it. */
  | 'UNAVAILABLE'
  /** The provider may have it: the answer never came. */
  | 'UNKNOWN';

/** How a connection is. */
export type HealthStatus =
  /** It fails, or its session is not bound: the next connection is asked. */
  | 'DOWN'
  /** It was not used yet. */
  | 'UNKNOWN'
  /** It takes what it is given. */
  | 'UP';

/** A person to invite. */
export type InviteUserInput = {
  /** The account, for an operator; absent: the one that the caller acts for. */
  accountId?: string | null | undefined;
  /** The e-mail address. */
  email: string;
  /** What the person may do. */
  role: Role;
};

/** Which entries to list; what is absent does not narrow. */
export type LedgerFilter = {
  /** Only this attempt. */
  attemptId?: string | null | undefined;
  /** Only from this time on. */
  from?: string | null | undefined;
  /** Only this kind. */
  kind?: LedgerKind | null | undefined;
  /** Only before this time. */
  to?: string | null | undefined;
};

/** What an entry of the ledger is. */
export type LedgerKind =
  /** The operator gave credits or took them away; `reason` says why. */
  | 'ADJUSTMENT'
  /** The provider accepted it: what was held is spent. */
  | 'CAPTURE'
  /** A receipt proved later that the provider had accepted it: it is paid, with what there is. */
  | 'CHARGE'
  /** Of former releases: a send kept what its SMS would cost. Now `held` of the balance says so. */
  | 'HOLD'
  /** Of former releases: the provider did not accept it, and the hold could be spent again. */
  | 'RELEASE';

/** How a phone is told of a link. */
export type LinkMethod =
  /** By a code that is typed into it. */
  | 'PAIRING_CODE'
  /** By a picture that it scans. */
  | 'QR';

/** How far a link is. */
export type LinkState =
  /** The phone is to take this code, as long as it is good. */
  | 'CODE'
  /** It was not linked. */
  | 'FAILED'
  /** The number is linked, and sends. */
  | 'LINKED';

/** Which entries to list; what is absent does not narrow. */
export type LogFilter = {
  /** Only this attempt, or this outcome of a passcode, by the id of its entry, `att_…`. */
  attemptId?: string | null | undefined;
  /** Only this channel. */
  channel?: Channel | null | undefined;
  /** Only what went by this connection. */
  connectionId?: string | null | undefined;
  /** Only recipients of this country, ISO 3166-1 alpha-2; `none`: numbers that belong to none, and attempts from before the gateway kept the country of each. */
  country?: string | null | undefined;
  /** Only what failed with this code, written exactly so: `recipient_refused`. */
  errorCode?: string | null | undefined;
  /** Only what failed with one of these codes. */
  errorCodes?: Array<string> | null | undefined;
  /** Only from this time on. */
  from?: string | null | undefined;
  /** Only this message. */
  messageId?: string | null | undefined;
  /** Only this passcode. */
  pinId?: string | null | undefined;
  /** Only what went through this provider, by its id; `none`: what no provider was asked for. */
  provider?: string | null | undefined;
  /** Only this person: a phone number, or the id that a channel has in its place. */
  recipient?: string | null | undefined;
  /** Only requests with this reference. */
  reference?: string | null | undefined;
  /** Only this sender: an SMS sender name, or a chat number. */
  sender?: string | null | undefined;
  /** Only what stands there. */
  status?: LogStatus | null | undefined;
  /** Only what stands at one of these. */
  statuses?: Array<LogStatus> | null | undefined;
  /** Only before this time. */
  to?: string | null | undefined;
  /** Only this type. */
  type?: LogType | null | undefined;
  /** Only these types. */
  types?: Array<LogType> | null | undefined;
};

/** How an entry of the log stands: an attempt as `Status` says, an outcome of a passcode with what it was. */
export type LogStatus =
  /** It was refused without looking: a passcode that is blocked, or a send that the fraud guard stopped. */
  | 'BLOCKED'
  /** It reached the phone. */
  | 'DELIVERED'
  /** The attempt was not delivered in its time; of a passcode, its code was given too late. */
  | 'EXPIRED'
  /** The attempt was refused or could not be delivered; of a passcode, a wrong code was given. */
  | 'FAILED'
  /** It is being handed over. */
  | 'PENDING'
  /** It was opened. */
  | 'READ'
  /** A person sent it. */
  | 'RECEIVED'
  /** The provider accepted it. */
  | 'SENT'
  /** The provider may have it: the answer never came. It is not tried again on that channel. */
  | 'UNKNOWN'
  /** The right code was given. */
  | 'VERIFIED';

/** What an entry of the log tells about. */
export type LogType =
  /** A message of a person came in: `recipient` is who wrote, `sender` what it came to. */
  | 'INBOUND'
  /** A message was handed to a provider. */
  | 'MESSAGE_ATTEMPT'
  /** A passcode was handed to a provider. */
  | 'OTP_ATTEMPT'
  /** A passcode was tried after too many wrong ones, or the fraud guard stopped a send; `errorCode` says why. */
  | 'OTP_BLOCKED'
  /** A passcode was tried after its time. */
  | 'OTP_EXPIRED'
  /** A passcode went out that the fraud guard would have stopped, were it set to block; `errorCode` says why. */
  | 'OTP_FLAGGED'
  /** A wrong passcode was tried. */
  | 'OTP_INCORRECT'
  /** A passcode was verified. */
  | 'OTP_VERIFIED';

/** What was read of a person. */
export type MarkReadInput = {
  /** The newest message that was read, `msg_…`: it and all before it. */
  messageId: string;
  /** The person: a phone number, the id that a channel has in its place, or `prs_…`. */
  to: string;
};

/** What changes. Whatever is absent stays as it is. */
export type OptOutSettingsInput = {
  /** The text that answers HELP and INFO; null: none does; absent: as before. */
  helpText?: string | null | undefined;
  /** Words that start again what a word stopped, beside those of everybody; absent: as before. */
  startWords?: Array<string> | null | undefined;
  /** The text that confirms a stop; null: none does; absent: as before. */
  stopText?: string | null | undefined;
  /** Words that stop, beside those of everybody; absent: as before. */
  stopWords?: Array<string> | null | undefined;
  /** Whether passcodes are not sent to those who stopped either; absent: as before. */
  stopsOtps?: boolean | null | undefined;
};

/** For which site or app a phone may fill in the code from the SMS; one of the two. */
export type OtpAutofillInput = {
  /** The hash of the Android app, 11 characters, as SMS Retriever makes it. */
  appHash?: string | null | undefined;
  /** The site: a host name, like `example.com`. */
  domain?: string | null | undefined;
};

/** Where a passcode stands. Only one that is `PENDING` or `SENT` can be verified. */
export type OtpStatus =
  /** Five wrong codes were given. */
  | 'BLOCKED'
  /** A newer one was sent to the same recipient. */
  | 'CANCELLED'
  /** Its time was over. */
  | 'EXPIRED'
  /** No channel accepted it. */
  | 'FAILED'
  /** It is being handed over; its code may have arrived already. */
  | 'PENDING'
  /** A provider accepted it, or may have. */
  | 'SENT'
  /** Its code was given. It cannot be used again. */
  | 'VERIFIED';

/** An approved authentication template of the cloud channel. The gateway fills in the code. */
export type OtpTemplateInput = {
  /** Language of the template, like `en_US`. */
  language: string;
  /** Name of the template. */
  name: string;
};

/** What needs a look. */
export type OverviewNoticeKind =
  /** The balance is below the account's threshold. */
  | 'BALANCE_LOW'
  /** A connection that the account sends by is down. */
  | 'CONNECTION_DOWN'
  /** A webhook endpoint is disabled: it answered 410, or nothing but failures for five days. */
  | 'ENDPOINT_DISABLED'
  /** The last tries to a webhook endpoint failed, and what happens waits for it. */
  | 'ENDPOINT_FAILING'
  /** The fraud guard would have refused passcodes, were it set to block. */
  | 'GUARD_FLAGGED'
  /** The fraud guard refused passcodes. */
  | 'GUARD_STOPPED'
  /** The chat lets a linked number write to nobody new for now. */
  | 'NUMBER_LOCKED'
  /** The number of a connection has the quality red, or has used four fifths of its reach. */
  | 'QUOTA_LOW';

/** A time up to now, in whole buckets of UTC, of which the last is under way. */
export type OverviewRange =
  /** The last 24 hours, by hour. */
  | 'DAY'
  /** The last 30 days, by day. */
  | 'MONTH'
  /** The last 7 days, by 6 hours. */
  | 'WEEK';

/** Which people to list; what is absent does not narrow. */
export type PeopleFilter = {
  /** True: only people with messages that nobody has read. */
  isUnread?: boolean | null | undefined;
  /** Only people with this in a number, an id, the name, or a text that they sent or got. */
  search?: string | null | undefined;
};

/** The kind of what a person is known by. */
export type PersonAddressKind =
  /** A phone number. */
  | 'NUMBER'
  /** The id that a channel has for the person, such as a business-scoped user id. */
  | 'USER_ID';

/** A config that is tried before it is kept. */
export type ProbeConnectionInput = {
  /** What the provider needs; `providers` has its schema. */
  config: Record<string, unknown>;
  /** The connection that the config is to be of: a secret that is given as it is shown is its own. */
  connectionId?: string | null | undefined;
  /** The id of the provider. */
  provider: string;
};

/** What a try without a text found. */
export type ProbeResult =
  /** The provider answered, and refused the gateway. */
  | 'REFUSED'
  /** What answered did not say. */
  | 'UNCLEAR'
  /** Nothing answered as the provider. */
  | 'UNREACHABLE'
  /** The provider lets the gateway in. */
  | 'WORKS';

/** What shows that a person is who it is: the password and a code. */
export type ProvenInput = {
  /** A code of the app, or a recovery code; blanks and dashes do not count. */
  code: string;
  /** The present password. */
  password: string;
};

/** What a connection may be kept for. */
export type Purpose =
  /** Messages. */
  | 'MESSAGE'
  /** Passcodes. */
  | 'OTP';

/** An answer to a message that came in. */
export type ReplyInput = {
  /** Template settings. Required for `CHAT_CLOUD` where the cloud number takes templates only. */
  cloudTemplate?: CloudTemplateInput | null | undefined;
  /** Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same. */
  reference?: string | null | undefined;
  /** The `messageId` of the message that came in. */
  replyTo: string;
  /** The text, 1 to 1600 characters, at most 10 segments by SMS. */
  text: string;
};

/** Who asked for something. */
export type RequestActor =
  /** The operator of the gateway. */
  | 'OPERATOR'
  /** Somebody whom nothing makes known. */
  | 'STRANGER'
  /** Who has a token of the account. */
  | 'TOKEN'
  /** A person who is signed in to the account. */
  | 'USER';

/** Which requests to list; what is absent does not narrow. */
export type RequestFilter = {
  /** Requests that were refused with this code, in either case. */
  code?: string | null | undefined;
  /** Requests that were answered at this time or later. */
  from?: string | null | undefined;
  /** Requests for this operation of GraphQL. */
  operation?: string | null | undefined;
  /** Requests of this path, `/api/omni/send`. */
  path?: string | null | undefined;
  /** Requests with this `X-Request-Id`. */
  requestId?: string | null | undefined;
  /** Requests that were answered with this status, `403`, or one of a class, `4xx`. */
  status?: string | null | undefined;
  /** True: those of nobody who is known, for the operator alone; goes with no `accountId`. */
  strangers?: boolean | null | undefined;
  /** Requests that were answered before this time. */
  to?: string | null | undefined;
  /** Requests with this token. */
  tokenId?: string | null | undefined;
};

/** Who has forgotten the password. */
export type RequestPasswordResetInput = {
  /** The e-mail address. */
  email: string;
};

/** Whether an account requires second factors. */
export type RequireSecondFactorInput = {
  /** The account, for an operator; absent: the one that the caller acts for. */
  accountId?: string | null | undefined;
  /** Whether everybody who signs in by password must have a second factor. */
  isRequired: boolean;
};

/** Which message to send again. */
export type ResendMessageInput = {
  /** Id of the message, `msg_…`. */
  messageId: string;
  /** Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same. */
  reference?: string | null | undefined;
};

/** Which passcode to send again. */
export type ResendOtpInput = {
  /** The `pinId` that the send answered. */
  pinId: string;
};

/** A new password, by a link that was mailed. */
export type ResetPasswordInput = {
  /** The new password, 12 to 128 characters. One that is easy to guess is refused: a repetition, a sequence, a common password, the e-mail address. */
  password: string;
  /** The token of the link: what stands after `#`. */
  token: string;
};

/** Something that a role lets a person see or do. */
export type Right =
  /** The person may create and revoke tokens, change alert rules, change webhook endpoints and test them. */
  | 'CHANGE'
  /** The person may see codes: what the phones of the sandbox received, and decide what these report. */
  | 'CODES'
  /** The person may export all that is held of a recipient, and erase it; create tokens of the area `management`, which may do so too. */
  | 'ERASE'
  /** The person may look at every page, except for what a right below shows; change their own password, and end their own sessions. */
  | 'LOOK'
  /** The person may see phone numbers whole, and look for them. */
  | 'NUMBERS'
  /** The person may invite people, give them roles and remove them. */
  | 'PEOPLE'
  /** The person may answer people who wrote, see before what a text costs, and write notes about people. */
  | 'REPLY'
  /** The person may send a message of the log or a passcode once more, to the recipient that it had, and redeliver webhooks; a text costs what it cost before. */
  | 'RESEND'
  /** The person may send to anybody, and verify passcodes. */
  | 'SEND'
  /** The person may put recipients onto the list of those who get no messages, and take them off. */
  | 'SUPPRESS'
  /** The person may see texts, bodies of webhooks, the words of providers, and the values of connections and of the audit trail. */
  | 'TEXTS';

/** What a person who signs in may do with the account. */
export type Role =
  /** A developer may do everything except change who may sign in, and erase recipients. */
  | 'DEVELOPER'
  /** An owner may do everything, which includes who else may sign in, and the erasure of recipients. */
  | 'OWNER'
  /** Support sees numbers and texts but no code, sends again what was sent, answers people, and suppresses recipients. */
  | 'SUPPORT'
  /** A viewer looks: numbers are masked, texts are left out. */
  | 'VIEWER';

/** What a phone of the sandbox reports. */
export type SandboxOutcome =
  /** The text has arrived. */
  | 'DELIVERED'
  /** It was not delivered in its time. */
  | 'EXPIRED'
  /** It could not be delivered. */
  | 'FAILED'
  /** It was opened. */
  | 'READ';

/** What a phone of the sandbox writes. */
export type SandboxReplyInput = {
  /** The phone that writes, a number with country code. */
  phone: string;
  /** What it writes, 1 to 1600 characters. */
  text: string;
  /** The sender of the account that it writes to, a number or a name. */
  to: string;
};

/** One text to one recipient: `to`, or the writer of the message `replyTo`. */
export type SendMessageInput = {
  /** The channels in order of preference. Absent: every channel whose own fields are present. */
  channels?: Array<Channel> | null | undefined;
  /** Number of the QR sender. Required for `CHAT_QR`. */
  chatFrom?: string | null | undefined;
  /** Template settings. Required for `CHAT_CLOUD` where the cloud number takes templates only. */
  cloudTemplate?: CloudTemplateInput | null | undefined;
  /** How several channels are used: `FALLBACK`, one after another, as where it is absent; or `ALL` at once. */
  deliveryMode?: DeliveryMode | null | undefined;
  /** In `FALLBACK` mode, seconds, 15 to 3600, after which the next channel follows one that accepted and has not reached `successStatus`. Absent: the account's setting, which is off unless set. */
  fallbackAfter?: number | null | undefined;
  /** Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same. */
  reference?: string | null | undefined;
  /** In the place of `to`: the `messageId` of a message that came in. The answer goes to the person who wrote it, by the same channel, from the sender that it came to. */
  replyTo?: string | null | undefined;
  /** Approved SMS sender name. Required for `SMS`. */
  sender?: string | null | undefined;
  /** The status that a channel has to reach within `fallbackAfter`; the best that it can report where it never reports this one. Absent: the account's setting, `DELIVERED` unless set. */
  successStatus?: SuccessStatus | null | undefined;
  /** The text, 1 to 1600 characters, at most 10 segments by SMS. */
  text: string;
  /** Recipient phone number with country code, with or without `+`. */
  to?: string | null | undefined;
};

/** One passcode to one recipient. */
export type SendOtpInput = {
  /** For which site or app a phone may fill in the code from the SMS. */
  autofill?: OtpAutofillInput | null | undefined;
  /** The channels in order of preference. Absent: every channel whose own fields are present; with none of them, `SMS`. */
  channels?: Array<Channel> | null | undefined;
  /** Number of the QR sender. Required for `CHAT_QR`. */
  chatFrom?: string | null | undefined;
  /** The end user's address, by which sends are limited (IPv6: by its /64). Absent: no address is counted. */
  clientIp?: string | null | undefined;
  /** The template of `CHAT_CLOUD`. Absent: the one of the account's cloud number. */
  cloudTemplate?: OtpTemplateInput | null | undefined;
  /** How several channels are used: `FALLBACK`, one after another, as where it is absent; or `ALL` at once. */
  deliveryMode?: DeliveryMode | null | undefined;
  /** Seconds to the end of the code, 60 to 3600; 300 where absent. */
  expiresIn?: number | null | undefined;
  /** In `FALLBACK` mode, seconds, 15 to 3600, after which the next channel follows one that accepted and has not reached `successStatus`. Absent: the account's setting, which is off unless set. */
  fallbackAfter?: number | null | undefined;
  /** Digits of the code, 4 to 10; 6 where absent. */
  length?: number | null | undefined;
  /** Approved SMS sender name. Absent: the account's default one. */
  sender?: string | null | undefined;
  /** The status that a channel has to reach within `fallbackAfter`; the best that it can report where it never reports this one. Absent: the account's setting, `DELIVERED` unless set. */
  successStatus?: SuccessStatus | null | undefined;
  /** The text, with `{{code}}` and, if wanted, `{{minutes}}`. */
  template?: string | null | undefined;
  /** Recipient phone number with country code, with or without `+`. */
  to: string;
};

/** A sender of an account. */
export type SenderInput = {
  /** The account. */
  accountId: string;
  /** The channel that it sends over; `SMS` where absent. */
  channel?: Channel | null | undefined;
  /** An SMS sender name (1 to 11 letters, digits or spaces), or a number. */
  name: string;
};

/** Whose connections a channel goes by. */
export type SentBy =
  /** The connections of the account. */
  | 'ACCOUNT'
  /** None: the channel fails with `no_route`, which costs nothing. */
  | 'NOBODY'
  /** The sandbox, as nothing is connected, or the number is one of its own. */
  | 'SANDBOX'
  /** The shared connections, as the account has none of its own. */
  | 'SHARED';

/** The answer to a keyword. It takes the place of the one that is there. */
export type SetAutoReplyInput = {
  /** The template that answers by `CHAT_CLOUD`; absent: the text does. */
  cloudTemplate?: CloudTemplateInput | null | undefined;
  /** The word that is answered, where a text is exactly it, without case, surrounding blanks and punctuation. */
  keyword: string;
  /** The answer. By a channel with templates the template goes in its place, where there is one. */
  text: string;
};

/** The template by which a cloud number sends codes. */
export type SetOtpTemplateInput = {
  /** The account. */
  accountId: string;
  /** The cloud number. */
  address: string;
  /** Language of the template, like `en_US`. Required with a name. */
  language?: string | null | undefined;
  /** Name of the template; null takes the template away. */
  name?: string | null | undefined;
};

/** When a cloud number needs a template. */
export type SetTemplateRequiredInput = {
  /** The account. */
  accountId: string;
  /** The cloud number. */
  address: string;
  /** True, the default: always. False: outside of the 24 hours after the recipient wrote, as Meta does. */
  isRequired: boolean;
};

/** The operator who signs in. */
export type SignInAsOperatorInput = {
  /** The operator's token (`OPERATOR_TOKEN`). */
  token: string;
};

/** Who comes back from the provider. */
export type SignInByOidcInput = {
  /** What stands in the address of the page from `?` on. */
  address: string;
};

/** Who signs in. */
export type SignInInput = {
  /** The e-mail address. */
  email: string;
  /** The password. */
  password: string;
};

/** The second step of a sign-in. */
export type SignInWithCodeInput = {
  /** A code of the app, or a recovery code; blanks and dashes do not count. */
  code: string;
};

/** The alphabet of an SMS. */
export type SmsEncoding =
  /** GSM 03.38: 160 characters, 153 in each of several parts. */
  | 'GSM7'
  /** UCS-2: 70 units, 67 in each of several parts. */
  | 'UCS2';

/** Who wants a second factor. */
export type StartSecondFactorInput = {
  /** The present password. */
  password: string;
};

/** Where a message or an attempt stands. It moves only up: a late or repeated report never takes it back. */
export type Status =
  /** It reached the phone. */
  | 'DELIVERED'
  /** It was not delivered in its time. */
  | 'EXPIRED'
  /** It was refused, or could not be delivered. */
  | 'FAILED'
  /** It is being handed over. */
  | 'PENDING'
  /** It was opened. */
  | 'READ'
  /** The provider accepted it. */
  | 'SENT'
  /** The provider may have it: the answer never came. It is not tried again on that channel. */
  | 'UNKNOWN';

/** The status that an accepted channel has to reach in time, or the next one follows. */
export type SuccessStatus =
  /** It reached the phone. */
  | 'DELIVERED'
  /** It was opened. */
  | 'READ';

/** A recipient who gets no messages any more. */
export type SuppressInput = {
  /** Why, for those who read the list. */
  reason?: string | null | undefined;
  /** The recipient: a phone number with country code, or the id that a channel has in its place. */
  to: string;
};

/** The way of a recipient onto the list. */
export type SuppressionOrigin =
  /** The account. Only the account takes off. */
  | 'ACCOUNT'
  /** A word of the recipient, like STOP. A word like START takes off again. */
  | 'RECIPIENT';

/** What happened to a message or a passcode. */
export type TimelineKind =
  /** The request was accepted. */
  | 'ACCEPTED'
  /** What the provider answered. */
  | 'ATTEMPT_ENDED'
  /** A connection was chosen, and asked; `skipped` are those that were passed over for it. */
  | 'ATTEMPT_STARTED'
  /** A code was given, and was not looked at. */
  | 'BLOCKED'
  /** Nobody was asked for a channel of the route. */
  | 'CHANNEL_SKIPPED'
  /** A code was given after its time. */
  | 'EXPIRED'
  /** The fraud guard noted it. */
  | 'FLAGGED'
  /** What the provider reported later. */
  | 'RECEIPT'
  /** A passcode was asked for once more; attempts follow. */
  | 'RESENT'
  /** The right code was given. */
  | 'VERIFIED'
  /** The next channel follows in time, unless the accepted one delivers. Told while the time runs. */
  | 'WAITING'
  /** An endpoint was told, as `webhook` says. Shown to who may manage webhooks. */
  | 'WEBHOOK'
  /** A wrong code was given. */
  | 'WRONG_CODE';

/** Who creates tokens. */
export type TokenMaker =
  /** The operator at the command line. */
  | 'COMMAND_LINE'
  /** The gateway, with the demo account. */
  | 'GATEWAY'
  /** The operator, by the API or signed in. */
  | 'OPERATOR'
  /** A person of the account. */
  | 'USER';

/** Settings of an account. What is absent stays as it is. */
export type UpdateAccountInput = {
  /** The account. */
  accountId: string;
  /** Seconds, 15 to 3600, that an accepted channel of a fallback has before the next one follows, where a send names none; null: no channel follows it. */
  fallbackAfter?: number | null | undefined;
  /** When the plan ends; null: never. */
  planExpiresAt?: string | null | undefined;
  /** Requests a second for each token, at least 1; null: no limit. */
  rateLimit?: number | null | undefined;
  /** Whether the SMS of its messages go out with typographic characters as GSM ones; passcodes have a setting of their own. */
  smartEncoding?: boolean | null | undefined;
  /** The status that an accepted channel has to reach by then, where a send names none. */
  successStatus?: SuccessStatus | null | undefined;
  /** Whether the unified API is on. */
  unifiedApi?: boolean | null | undefined;
};

/** What changes of a rule. What is absent stays as it is; what it watches is looked at anew. */
export type UpdateAlertRuleInput = {
  /** How long it must last before it is told, in minutes. */
  lastingMinutes?: number | null | undefined;
  /** The addresses that get a mail, at most 5. */
  mail?: Array<string> | null | undefined;
  /** True: nothing is told from now on. False: it is told again. */
  paused?: boolean | null | undefined;
  /** How long nothing more is told of the same thing, in minutes, 5 at least; that it is well again is told at once. */
  quietMinutes?: number | null | undefined;
  /** The rule. */
  ruleId: string;
  /** A URL that takes `{"text": "…"}`; null takes it away. */
  slackUrl?: string | null | undefined;
  /** How many, in the `unit` of its kind; null: the kind has none. */
  threshold?: number | null | undefined;
};

/** What is set of the balance of an account. What is absent stays as it is. */
export type UpdateBillingInput = {
  /** The account. */
  accountId: string;
  /** The most credits that sends may cost in a day (UTC), 0 to 1,000,000,000; null: no cap. */
  dailySpendCap?: number | null | undefined;
  /** Below so many credits the balance is low, 1 to 1,000,000,000; null: it never is. */
  lowBalanceThreshold?: number | null | undefined;
};

/** What changes of a connection. What is absent stays as it is. */
export type UpdateConnectionInput = {
  /** The whole config from now on; a secret that is given as it is shown stays as it is. */
  config?: Record<string, unknown> | null | undefined;
  /** The connection. */
  connectionId: string;
  /** The recipients’ countries; null: all. */
  countries?: Array<string> | null | undefined;
  /** What people call it, 1 to 100 characters. */
  name?: string | null | undefined;
  /** True: nothing more goes by it, and what is in flight ends. False: it is used again. */
  paused?: boolean | null | undefined;
  /** The lowest goes first, 0 to 10,000; 100 where absent. */
  priority?: number | null | undefined;
  /** What it sends; null: all. */
  purposes?: Array<Purpose> | null | undefined;
  /** Its share of the recipients among connections with the same priority, 1 to 1,000; 1 where absent. */
  weight?: number | null | undefined;
};

/** OTP settings of an account. What is absent stays as it is; null brings back the default, but for `sendsPerAddress`. */
export type UpdateOtpSettingsInput = {
  /** The account. */
  accountId: string;
  /** Seconds before a recipient is sent another OTP, 0 to 3,600; default 60. */
  cooldownSeconds?: number | null | undefined;
  /** The countries that OTPs go to, ISO 3166-1 alpha-2, like `["US", "DE"]`; `["*"]`: every country; null: not chosen. */
  countries?: Array<string> | null | undefined;
  /** What the fraud guard does; default `OBSERVE`. `BLOCK` needs `countries`. */
  fraudMode?: FraudMode | null | undefined;
  /** OTPs in an hour for one end user's address, of the sends that name it in `clientIp`, 1 to 1,000, or null for no limit; default 20. */
  sendsPerAddress?: number | null | undefined;
  /** OTPs to one recipient in 24 hours, 1 to 100; default 10. */
  sendsPerDay?: number | null | undefined;
  /** OTPs to one recipient in an hour, 1 to 100; default 5. */
  sendsPerHour?: number | null | undefined;
  /** Whether the SMS of OTPs go out with typographic characters as GSM ones; default true. */
  smartEncoding?: boolean | null | undefined;
  /** Wrong codes of the account in a minute, over all of its tokens, pins and addresses, 1 to 1,000; default no limit. */
  wrongCodesPerAccount?: number | null | undefined;
  /** Wrong codes from one address in 5 minutes, 1 to 1,000; default 30. */
  wrongCodesPerAddress?: number | null | undefined;
  /** Wrong codes for one recipient in 24 hours, over all of its pins, 1 to 1,000; default 20. */
  wrongCodesPerDay?: number | null | undefined;
};

/** Where the account is. What is absent stays as it is. */
export type UpdateRegionInput = {
  /** The country that national numbers are read by, ISO 3166-1 alpha-2; null: none. */
  country?: string | null | undefined;
  /** The time zone, an IANA name like `Europe/Berlin`; null: `UTC`. */
  timeZone?: string | null | undefined;
};

/** What the request log of an account keeps. */
export type UpdateRequestLogInput = {
  /** Whether accepted requests of its tokens are kept too. */
  accepted: boolean;
  /** The account, for an operator; absent: that of the token, or the one it acts for. */
  accountId?: string | null | undefined;
};

/** What changes of a token. */
export type UpdateTokenInput = {
  /** What people call it, 1 to 100 characters; null: nothing. */
  name?: string | null | undefined;
  /** The token. */
  tokenId: string;
};

/** What changes of a person. What is absent stays as it is. */
export type UpdateUserInput = {
  /** How the person is called; null takes the name away. */
  name?: string | null | undefined;
  /** What the person may do. */
  role?: Role | null | undefined;
  /** The person. */
  userId: string;
};

/** What changes of an endpoint. What is absent stays as it is. */
export type UpdateWebhookEndpointInput = {
  /** What it is for, at most 500 characters; null takes it away. */
  description?: string | null | undefined;
  /** The endpoint. */
  endpointId: string;
  /** The events that it gets from now on, at least one, each once. */
  events?: Array<string> | null | undefined;
  /** True: deliveries wait from now on. False: they flow again. A disabled endpoint takes neither: enable it. */
  paused?: boolean | null | undefined;
  /** Where events are posted to from now on, those that are pending too. Failures of the old URL are forgotten. */
  url?: string | null | undefined;
};

/** A `pinId`, and the code that the user typed. */
export type VerifyOtpInput = {
  /** The end user's address, by which wrong codes are limited; without it the caller's address counts. */
  clientIp?: string | null | undefined;
  /** The code, a string of digits. */
  pin: string;
  /** The `pinId` that the send answered. */
  pinId: string;
};

/** What a caller is known by. */
export type ViewerKind =
  /** The operator, by the token or signed in with it. */
  | 'OPERATOR'
  /** A person with a second factor whose password was right: nothing is open before `signInWithCode`. Answered by `signIn` alone. */
  | 'SECOND_STEP'
  /** A token of an account. */
  | 'TOKEN'
  /** A person who is signed in. */
  | 'USER';

/** Which deliveries to list; what is absent does not narrow. */
export type WebhookDeliveryFilter = {
  /** Deliveries whose `error` is this word. */
  error?: string | null | undefined;
  /** Deliveries of this event. */
  event?: string | null | undefined;
  /** Deliveries made at this time or later. */
  from?: string | null | undefined;
  /** Deliveries whose last try was answered so. */
  httpStatus?: number | null | undefined;
  /** Deliveries that stand there. */
  status?: WebhookDeliveryStatus | null | undefined;
  /** Deliveries made before this time. */
  to?: string | null | undefined;
};

/** Where a delivery stands. */
export type WebhookDeliveryStatus =
  /** It was given up. It can be redelivered. */
  | 'DEAD'
  /** The endpoint acknowledged it. */
  | 'DELIVERED'
  /** It is tried at `nextTryAt`. */
  | 'PENDING';

/** Why the gateway has given an endpoint up. */
export type WebhookDisabledReason =
  /** It answered nothing but failures for five days. */
  | 'FAILING'
  /** It answered 410 Gone. */
  | 'GONE';

/** Whether events are delivered to an endpoint. */
export type WebhookEndpointStatus =
  /** The gateway has given it up; `disabledReason` says why. What it misses can be recovered. */
  | 'DISABLED'
  /** They are delivered. */
  | 'ENABLED'
  /** Its account has paused it: deliveries wait until it is resumed. */
  | 'PAUSED';

/** Which deliveries begin again; what is absent does not narrow, but for the status. */
export type WebhookRedeliveryFilter = {
  /** Deliveries of this event. */
  event?: string | null | undefined;
  /** Deliveries made at this time or later. */
  from?: string | null | undefined;
  /** Deliveries that stand there: `DEAD`, as where it is absent, or `DELIVERED`. */
  status?: WebhookDeliveryStatus | null | undefined;
  /** Deliveries made before this time. */
  to?: string | null | undefined;
};

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { kind: ViewerKind, role: Role | null, rights: Array<Right>, user: { userId: string, email: string, name: string | null, hasPassword: boolean } | null, account: { accountId: string, name: string, unifiedApi: boolean, planExpiresAt: string | null, isSandboxed: boolean, timeZone: string, country: string | null } | null, secondFactor: { since: string | null, isRequired: boolean, recoveryCodesLeft: number } | null, session: { sessionId: string } | null } | null };

export type AccountPageQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountPageQuery = { account: { accountId: string, name: string, createdAt: string, credits: number, unifiedApi: boolean, planExpiresAt: string | null, rateLimit: number | null, smartEncoding: boolean, fallbackAfter: number | null, successStatus: SuccessStatus, timeZone: string, country: string | null } };

export type SessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionsQuery = { sessions: Array<{ sessionId: string, createdAt: string, lastSeenAt: string, expiresAt: string, clientAddress: string, userAgent: string | null }> };

export type UpdateAccountMutationVariables = Exact<{
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { updateAccount: { accountId: string } };

export type UpdateRegionMutationVariables = Exact<{
  input: UpdateRegionInput;
}>;


export type UpdateRegionMutation = { updateRegion: { timeZone: string, country: string | null } };

export type RevokeSessionMutationVariables = Exact<{
  sessionId: string;
}>;


export type RevokeSessionMutation = { revokeSession: { sessionId: string } };

export type SignOutEverywhereMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutEverywhereMutation = { signOutEverywhere: number };

export type TurnOffSecondFactorMutationVariables = Exact<{
  input: ProvenInput;
}>;


export type TurnOffSecondFactorMutation = { turnOffSecondFactor: { userId: string } };

export type RenewRecoveryCodesMutationVariables = Exact<{
  input: ProvenInput;
}>;


export type RenewRecoveryCodesMutation = { renewRecoveryCodes: { codes: Array<string> } };

export type PeopleQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type PeopleQuery = { users: Array<{ userId: string, email: string, name: string | null, role: Role, hasPassword: boolean, secondFactorSince: string | null, createdAt: string }> };

export type PersonFragment = { userId: string, email: string, name: string | null, role: Role, hasPassword: boolean, secondFactorSince: string | null, createdAt: string };

export type SecondFactorRuleQueryVariables = Exact<{ [key: string]: never; }>;


export type SecondFactorRuleQuery = { account: { accountId: string, secondFactorRequired: boolean } };

export type RequireSecondFactorMutationVariables = Exact<{
  input: RequireSecondFactorInput;
}>;


export type RequireSecondFactorMutation = { requireSecondFactor: { accountId: string } };

export type TakeSecondFactorAwayMutationVariables = Exact<{
  userId: string;
}>;


export type TakeSecondFactorAwayMutation = { takeSecondFactorAway: { userId: string } };

export type InvitationsQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type InvitationsQuery = { invitations: Array<{ invitationId: string, email: string, role: Role, createdAt: string, expiresAt: string, acceptedAt: string | null }> };

export type InviteUserMutationVariables = Exact<{
  input: InviteUserInput;
}>;


export type InviteUserMutation = { inviteUser: { link: string, invitation: { email: string } } };

export type RevokeInvitationMutationVariables = Exact<{
  invitationId: string;
}>;


export type RevokeInvitationMutation = { revokeInvitation: { invitationId: string } };

export type UpdateUserMutationVariables = Exact<{
  input: UpdateUserInput;
}>;


export type UpdateUserMutation = { updateUser: { userId: string } };

export type RemoveUserMutationVariables = Exact<{
  userId: string;
}>;


export type RemoveUserMutation = { removeUser: { userId: string } };

export type ChangePasswordMutationVariables = Exact<{
  input: ChangePasswordInput;
}>;


export type ChangePasswordMutation = { changePassword: { userId: string } };

export type RolesQueryVariables = Exact<{ [key: string]: never; }>;


export type RolesQuery = { roles: Array<{ role: Role, meaning: string, rights: Array<Right> }>, rights: Array<{ right: Right, meaning: string }> };

export type AlertRulesQueryVariables = Exact<{ [key: string]: never; }>;


export type AlertRulesQuery = { alertRules: Array<{ id: string, kind: AlertKind, threshold: number | null, lastingMinutes: number, quietMinutes: number, mail: Array<string>, slackHost: string | null, paused: boolean, open: number }>, alertSettings: { sendsMail: boolean, offers: Array<{ kind: AlertKind, meaning: string, unit: AlertUnit | null, threshold: number | null, lastingMinutes: number, quietMinutes: number }> } };

export type AlertsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AlertsQuery = { alerts: { nodes: Array<{ id: string, kind: AlertKind, raised: boolean, text: string, since: string, createdAt: string, sends: Array<{ way: AlertWay, target: string, status: AlertSendStatus, error: string | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateAlertRuleMutationVariables = Exact<{
  input: CreateAlertRuleInput;
}>;


export type CreateAlertRuleMutation = { createAlertRule: { id: string } };

export type UpdateAlertRuleMutationVariables = Exact<{
  input: UpdateAlertRuleInput;
}>;


export type UpdateAlertRuleMutation = { updateAlertRule: { id: string } };

export type TestAlertRuleMutationVariables = Exact<{
  ruleId: string;
}>;


export type TestAlertRuleMutation = { testAlertRule: { text: string, sends: Array<{ target: string, error: string | null }>, tries: Array<{ id: string, endpointId: string, httpStatus: number | null, error: string | null, errorMessage: string | null }> } };

export type DeleteAlertRuleMutationVariables = Exact<{
  ruleId: string;
}>;


export type DeleteAlertRuleMutation = { deleteAlertRule: { id: string } };

export type AuditTrailQueryVariables = Exact<{
  accountId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: AuditFilter | null | undefined;
}>;


export type AuditTrailQuery = { auditEntries: { nodes: Array<{ id: string, action: string, actor: AuditActor, userEmail: string | null, tokenId: string | null, subject: string | null, details: Record<string, unknown>, clientAddress: string | null, requestId: string, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AuditActionsQueryVariables = Exact<{ [key: string]: never; }>;


export type AuditActionsQuery = { auditActions: Array<string> };

export type ConnectionsQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type ConnectionsQuery = { connectionGaps: Array<string>, connections: Array<{ connectionId: string, name: string, channel: Channel, provider: string, priority: number, weight: number, countries: Array<string> | null, purposes: Array<Purpose> | null, paused: boolean, config: Record<string, unknown> | null, receiptsUrl: string | null, quota: { quality: string | null, reach: number | null, used: number, readAt: string } | null, session: { state: ChatSessionState, since: string, isOpen: boolean, error: string | null, linkedAt: string | null, lastAckAt: string | null, lockedSince: string | null, lockedUntil: string | null, risksAcceptedBy: string | null, newChats: { allowed: number, used: number, until: string | null } | null, pace: { sentLastMinute: number, perMinute: number, newPeople: number, newPeopleAllowed: number } | null } | null, readings: Array<{ country: string | null, reason: string | null, hour: { attempts: number, taken: number, refused: number, unknown: number, due: number, delivered: number, ackMs: number | null, receiptMs: number | null }, day: { attempts: number, taken: number, refused: number, unknown: number, due: number, delivered: number, ackMs: number | null, receiptMs: number | null } }>, health: { status: HealthStatus, since: string | null, lastError: string | null, nextTryAt: string | null, figures: Array<{ country: string | null, attempts: number, accepted: number, delivered: number, failed: number, unknown: number, medianMs: number | null, p95Ms: number | null }> } }>, providers: Array<{ id: string, label: string }> };

export type ConnectionFragment = { connectionId: string, name: string, channel: Channel, provider: string, priority: number, weight: number, countries: Array<string> | null, purposes: Array<Purpose> | null, paused: boolean, config: Record<string, unknown> | null, receiptsUrl: string | null, quota: { quality: string | null, reach: number | null, used: number, readAt: string } | null, session: { state: ChatSessionState, since: string, isOpen: boolean, error: string | null, linkedAt: string | null, lastAckAt: string | null, lockedSince: string | null, lockedUntil: string | null, risksAcceptedBy: string | null, newChats: { allowed: number, used: number, until: string | null } | null, pace: { sentLastMinute: number, perMinute: number, newPeople: number, newPeopleAllowed: number } | null } | null, readings: Array<{ country: string | null, reason: string | null, hour: { attempts: number, taken: number, refused: number, unknown: number, due: number, delivered: number, ackMs: number | null, receiptMs: number | null }, day: { attempts: number, taken: number, refused: number, unknown: number, due: number, delivered: number, ackMs: number | null, receiptMs: number | null } }>, health: { status: HealthStatus, since: string | null, lastError: string | null, nextTryAt: string | null, figures: Array<{ country: string | null, attempts: number, accepted: number, delivered: number, failed: number, unknown: number, medianMs: number | null, p95Ms: number | null }> } };

export type FiguresFragment = { attempts: number, taken: number, refused: number, unknown: number, due: number, delivered: number, ackMs: number | null, receiptMs: number | null };

export type ProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type ProvidersQuery = { providers: Array<{ id: string, label: string, channels: Array<Channel>, configSchema: Record<string, unknown> }> };

export type CreateConnectionMutationVariables = Exact<{
  input: CreateConnectionInput;
}>;


export type CreateConnectionMutation = { createConnection: { connectionId: string } };

export type UpdateConnectionMutationVariables = Exact<{
  input: UpdateConnectionInput;
}>;


export type UpdateConnectionMutation = { updateConnection: { connectionId: string } };

export type RenewReceiptsUrlMutationVariables = Exact<{
  connectionId: string;
}>;


export type RenewReceiptsUrlMutation = { renewReceiptsUrl: { connectionId: string } };

export type ProbeConnectionMutationVariables = Exact<{
  input: ProbeConnectionInput;
}>;


export type ProbeConnectionMutation = { probeConnection: { result: ProbeResult, message: string, field: string | null, milliseconds: number } };

export type DeleteConnectionMutationVariables = Exact<{
  connectionId: string;
}>;


export type DeleteConnectionMutation = { deleteConnection: { connectionId: string } };

export type TestConnectionMutationVariables = Exact<{
  connectionId: string;
  to: string;
  text: string;
  from?: string | null | undefined;
}>;


export type TestConnectionMutation = { testConnection: { outcome: HandOverOutcome, milliseconds: number, providerMessageId: string | null, code: string | null, message: string | null } };

export type LinkConnectionSubscriptionVariables = Exact<{
  connectionId: string;
  method: LinkMethod;
}>;


export type LinkConnectionSubscription = { linkConnection: { state: LinkState, code: string | null, secondsLeft: number | null, error: string | null } };

export type AcceptChatRisksMutationVariables = Exact<{
  input: AcceptChatRisksInput;
}>;


export type AcceptChatRisksMutation = { acceptChatRisks: { connectionId: string } };

export type UnlinkConnectionMutationVariables = Exact<{
  connectionId: string;
}>;


export type UnlinkConnectionMutation = { unlinkConnection: { connectionId: string } };

export type CreditsQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type CreditsQuery = { balance: { credits: number, held: number, spentToday: number, dailySpendCap: number | null, lowBalanceThreshold: number | null, lowBalanceSince: string | null, forecast: { perDay: number, lastsDays: number | null } } };

export type LedgerQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: LedgerFilter | null | undefined;
}>;


export type LedgerQuery = { ledger: { nodes: Array<{ id: string, kind: LedgerKind, createdAt: string, credits: number, held: number, attemptId: string | null, balance: number | null, reason: string | null, reference: string | null, send: { messageId: string | null, pinId: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreditDaysQueryVariables = Exact<{
  days?: number | null | undefined;
}>;


export type CreditDaysQuery = { creditDays: Array<{ from: string, spent: number, adjusted: number, balance: number, spending: Array<{ channel: Channel, purpose: Purpose, credits: number }> }> };

export type AdjustBalanceMutationVariables = Exact<{
  input: AdjustBalanceInput;
}>;


export type AdjustBalanceMutation = { adjustBalance: { credits: number } };

export type UpdateBillingMutationVariables = Exact<{
  input: UpdateBillingInput;
}>;


export type UpdateBillingMutation = { updateBilling: { credits: number } };

export type InboxPeopleQueryVariables = Exact<{
  filter?: PeopleFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type InboxPeopleQuery = { people: { nodes: Array<{ id: string | null, to: string, name: string | null, unread: number, lastMessage: { id: string, type: string, text: string | null, receivedAt: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type InboxPersonQueryVariables = Exact<{
  to: string;
}>;


export type InboxPersonQuery = { person: { id: string | null, to: string, name: string | null, unread: number, addresses: Array<{ value: string, kind: PersonAddressKind, channel: Channel | null }>, lastMessage: { id: string, channel: Channel, to: string, type: string, text: string | null, receivedAt: string } | null, suppression: { origin: SuppressionOrigin, reason: string | null, createdAt: string } | null, windows: Array<{ channel: Channel, sender: string, closesAt: string }> } };

export type ConversationQueryVariables = Exact<{
  to: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConversationQuery = { conversation: { nodes: Array<
      | { __typename: 'InboundMessage', id: string, channel: Channel, to: string, type: string, text: string | null, receivedAt: string }
      | { __typename: 'Message', id: string, messageId: string, status: Status, channels: Array<Channel>, sender: string | null, chatFrom: string | null, createdAt: string, sentText: string, sentBy: Channel | null }
      | { __typename: 'Otp', id: string, pinId: string, channels: Array<Channel>, createdAt: string, otpStatus: OtpStatus, sentBy: Channel | null }
      | { __typename: 'PersonNote', id: string, by: string | null, createdAt: string, note: string }
    >, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AnswerPreviewQueryVariables = Exact<{
  input: SendMessageInput;
}>;


export type AnswerPreviewQuery = { preview: { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, windowClosesAt: string | null, sentBy: SentBy, sandboxReason: string | null, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict, reason: string | null }> }> } };

export type AnswerMutationVariables = Exact<{
  input: ReplyInput;
}>;


export type AnswerMutation = { reply: { id: string } };

export type MarkReadMutationVariables = Exact<{
  input: MarkReadInput;
}>;


export type MarkReadMutation = { markRead: { id: string | null } };

export type AddNoteMutationVariables = Exact<{
  input: AddNoteInput;
}>;


export type AddNoteMutation = { addNote: { id: string } };

export type RemoveNoteMutationVariables = Exact<{
  id: string;
}>;


export type RemoveNoteMutation = { removeNote: { id: string } };

export type SuppressMutationVariables = Exact<{
  input: SuppressInput;
}>;


export type SuppressMutation = { suppress: { id: string } };

export type UnsuppressMutationVariables = Exact<{
  to: string;
}>;


export type UnsuppressMutation = { unsuppress: { id: string } };

export type SmsSendersQueryVariables = Exact<{ [key: string]: never; }>;


export type SmsSendersQuery = { senders: Array<{ name: string, channel: Channel, approved: boolean, isDefault: boolean }> };

export type InboxLogSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type InboxLogSubscription = { logAdded: { id: string } };

export type ExportRecipientQueryVariables = Exact<{
  to: string;
  cursor?: string | null | undefined;
}>;


export type ExportRecipientQuery = { exportRecipient: { to: string, addresses: Array<string>, nextCursor: string | null, records: Array<{ table: string, row: Record<string, unknown> }> } };

export type EraseRecipientMutationVariables = Exact<{
  to: string;
}>;


export type EraseRecipientMutation = { eraseRecipient: { isSuppressed: boolean } };

export type LimitsQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type LimitsQuery = { account: { rateLimit: number | null }, otpSettings: { countries: Array<string> | null, fraudMode: FraudMode, cooldownSeconds: number, sendsPerHour: number, sendsPerDay: number, sendsPerAddress: number | null, wrongCodesPerDay: number, wrongCodesPerAddress: number, wrongCodesPerAccount: number | null }, stopped: { nodes: Array<{ id: string, type: LogType, createdAt: string, recipient: string, pinId: string | null, errorCode: string | null, errorMessage: string | null }> } };

export type UpdateOtpSettingsMutationVariables = Exact<{
  input: UpdateOtpSettingsInput;
}>;


export type UpdateOtpSettingsMutation = { updateOtpSettings: { accountId: string } };

export type LogHistogramQueryVariables = Exact<{
  filter?: LogFilter | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  buckets?: number | null | undefined;
}>;


export type LogHistogramQuery = { logHistogram: { from: string, to: string, bucketSeconds: number, countedFrom: string | null, buckets: Array<{ from: string, status: LogStatus, entries: number }> } };

export type LogPageQueryVariables = Exact<{
  filter?: LogFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LogPageQuery = { logs: { nodes: Array<{ id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, messageId: string | null, pinId: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, latencyMs: number | null, segments: number, credits: number, pricing: Record<string, unknown> | null, connection: { connectionId: string, name: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type LiveLogSubscriptionVariables = Exact<{
  filter?: LogFilter | null | undefined;
}>;


export type LiveLogSubscription = { logAdded: { id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, messageId: string | null, pinId: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, latencyMs: number | null, segments: number, credits: number, pricing: Record<string, unknown> | null, connection: { connectionId: string, name: string } | null } };

export type LogRowFragment = { id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, messageId: string | null, pinId: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, latencyMs: number | null, segments: number, credits: number, pricing: Record<string, unknown> | null, connection: { connectionId: string, name: string } | null };

export type FilterChoicesQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type FilterChoicesQuery = { connections: Array<{ connectionId: string, name: string }>, providers: Array<{ id: string, label: string }> };

export type SendPageQueryVariables = Exact<{
  filter?: LogFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SendPageQuery = { sends: { nodes: Array<{ id: string, messageId: string | null, pinId: string | null, status: LogStatus, entries: Array<{ id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, credits: number }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type LiveSendsSubscriptionVariables = Exact<{
  filter?: LogFilter | null | undefined;
}>;


export type LiveSendsSubscription = { logAdded: { id: string, messageId: string | null, pinId: string | null } };

export type SendRowFragment = { id: string, messageId: string | null, pinId: string | null, status: LogStatus, entries: Array<{ id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, credits: number }> };

export type MessageStoryQueryVariables = Exact<{
  messageId: string;
}>;


export type MessageStoryQuery = { message: { messageId: string, status: Status, recipient: string, reference: string | null, text: string, segments: number, channel: Channel | null, channels: Array<Channel>, createdAt: string, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict, reason: string | null }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type OtpStoryQueryVariables = Exact<{
  pinId: string;
}>;


export type OtpStoryQuery = { otp: { pinId: string, status: OtpStatus, recipient: string, channel: Channel | null, createdAt: string, attemptsRemaining: number, attempts: Array<{ status: Status }>, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict, reason: string | null }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type ResendMessageMutationVariables = Exact<{
  input: ResendMessageInput;
}>;


export type ResendMessageMutation = { resendMessage: { messageId: string } };

export type ResendLoggedOtpMutationVariables = Exact<{
  input: ResendOtpInput;
}>;


export type ResendLoggedOtpMutation = { resendOtp: { pinId: string } };

export type FirstStepsQueryVariables = Exact<{
  withWebhooks: boolean;
}>;


export type FirstStepsQuery = { tokens: Array<{ lastUsedAt: string | null }>, sent: { nodes: Array<{ recipient: string }> }, webhookEndpoints?: { total: number } };

export type OverviewQueryVariables = Exact<{
  range: OverviewRange;
}>;


export type OverviewQuery = { overview: { from: string, to: string, previousFrom: string, bucketMinutes: number, hasVerified: boolean, creditsLeft: number, creditsLastDays: number | null, buckets: Array<{ from: string, channel: Channel, status: LogStatus, attempts: number }>, totals: { attempts: number, accepted: number, delivered: number, failed: number, unknown: number, credits: number, successRate: number | null }, previousTotals: { attempts: number, accepted: number, delivered: number, failed: number, unknown: number, credits: number, successRate: number | null }, otps: { sent: number, verified: number, conversionRate: number | null }, previousOtps: { conversionRate: number | null }, routes: Array<{ connectionId: string | null, connectionName: string | null, channel: Channel, provider: string, country: string | null, attempts: number, delivered: number, failed: number, p95Ms: number | null }>, failures: Array<{ errorCode: string, meaning: string, channel: Channel, provider: string | null, country: string | null, attempts: number, previousAttempts: number }>, notices: Array<{ kind: OverviewNoticeKind, at: string, subject: string | null, name: string | null, reason: string | null, meaning: string | null, count: number | null }> } };

export type TotalsFragment = { attempts: number, accepted: number, delivered: number, failed: number, unknown: number, credits: number, successRate: number | null };

export type PhoneThreadQueryVariables = Exact<{
  to: string;
  since?: string | null | undefined;
}>;


export type PhoneThreadQuery = { sandboxMessages: Array<{ id: string, channel: Channel, from: string | null, text: string, createdAt: string, about: { messageId: string | null, pinId: string | null, status: Status, code: string | null, isVerified: boolean | null } | null }>, inboundMessages: { nodes: Array<{ id: string, channel: Channel, to: string, text: string | null, receivedAt: string }> } };

export type AnswerAsPhoneMutationVariables = Exact<{
  input: SandboxReplyInput;
}>;


export type AnswerAsPhoneMutation = { sandboxReply: { id: string } };

export type ClearSandboxMutationVariables = Exact<{ [key: string]: never; }>;


export type ClearSandboxMutation = { clearSandbox: number };

export type ReportTextMutationVariables = Exact<{
  id: string;
  outcome: SandboxOutcome;
}>;


export type ReportTextMutation = { sandboxReceipt: { id: string } };

export type OrderReceiptMutationVariables = Exact<{
  to: string;
  outcome?: SandboxOutcome | null | undefined;
  delaySeconds?: number | null | undefined;
}>;


export type OrderReceiptMutation = { sandboxNextReceipt: string };

export type PhonesLogSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type PhonesLogSubscription = { logAdded: { recipient: string, type: LogType } };

export type RepliesQueryVariables = Exact<{ [key: string]: never; }>;


export type RepliesQuery = { autoReplies: Array<{ keyword: string, text: string, updatedAt: string, cloudTemplate: { name: string, language: string, components: Array<Record<string, unknown>> | null } | null }>, optOutSettings: { stopWords: Array<string>, startWords: Array<string>, stopText: string | null, helpText: string | null, stopsOtps: boolean } };

export type AutoReplyFragment = { keyword: string, text: string, updatedAt: string, cloudTemplate: { name: string, language: string, components: Array<Record<string, unknown>> | null } | null };

export type SetAutoReplyMutationVariables = Exact<{
  input: SetAutoReplyInput;
}>;


export type SetAutoReplyMutation = { setAutoReply: { keyword: string } };

export type RemoveAutoReplyMutationVariables = Exact<{
  keyword: string;
}>;


export type RemoveAutoReplyMutation = { removeAutoReply: { keyword: string } };

export type UpdateOptOutSettingsMutationVariables = Exact<{
  input: OptOutSettingsInput;
}>;


export type UpdateOptOutSettingsMutation = { updateOptOutSettings: { stopsOtps: boolean } };

export type RequestRowFragment = { id: string, actor: RequestActor, tokenId: string | null, method: string, path: string, operation: string | null, status: number, code: string | null, meaning: string | null, field: string | null, clientAddress: string | null, durationMs: number, requestId: string, leftOut: number, createdAt: string };

export type RequestLogQueryVariables = Exact<{
  accountId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RequestFilter | null | undefined;
}>;


export type RequestLogQuery = { requests: { nodes: Array<{ id: string, actor: RequestActor, tokenId: string | null, method: string, path: string, operation: string | null, status: number, code: string | null, meaning: string | null, field: string | null, clientAddress: string | null, durationMs: number, requestId: string, leftOut: number, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RequestLogKeepsQueryVariables = Exact<{ [key: string]: never; }>;


export type RequestLogKeepsQuery = { account: { id: string, logsAccepted: boolean, requestLogDays: number } };

export type KeepAcceptedRequestsMutationVariables = Exact<{
  input: UpdateRequestLogInput;
}>;


export type KeepAcceptedRequestsMutation = { updateRequestLog: { id: string, logsAccepted: boolean } };

export type SendChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type SendChoicesQuery = { senders: Array<{ id: string, name: string, channel: Channel, approved: boolean, isDefault: boolean, templateRequired: boolean, otpTemplate: { name: string, language: string } | null }> };

export type PreviewSendQueryVariables = Exact<{
  input: SendMessageInput;
}>;


export type PreviewSendQuery = { preview: { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, windowClosesAt: string | null, sentBy: SentBy, sandboxReason: string | null, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict, reason: string | null }> }> } };

export type PreviewOtpQueryVariables = Exact<{
  input: SendOtpInput;
}>;


export type PreviewOtpQuery = { preview: { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, windowClosesAt: string | null, sentBy: SentBy, sandboxReason: string | null, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict, reason: string | null }> }> } };

export type SendMessageMutationVariables = Exact<{
  input: SendMessageInput;
}>;


export type SendMessageMutation = { sendMessage: { messageId: string } };

export type SendOtpMutationVariables = Exact<{
  input: SendOtpInput;
}>;


export type SendOtpMutation = { sendOtp: { pinId: string } };

export type ResendOtpMutationVariables = Exact<{
  input: ResendOtpInput;
}>;


export type ResendOtpMutation = { resendOtp: { pinId: string } };

export type VerifyOtpMutationVariables = Exact<{
  input: VerifyOtpInput;
}>;


export type VerifyOtpMutation = { verifyOtp: { pinId: string, status: OtpStatus } };

export type SentMessageQueryVariables = Exact<{
  id: string;
}>;


export type SentMessageQuery = { message: { messageId: string, recipient: string, status: Status, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict, reason: string | null }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type SentOtpQueryVariables = Exact<{
  pinId: string;
}>;


export type SentOtpQuery = { otp: { pinId: string, recipient: string, status: OtpStatus, expiresAt: string, resendAvailableAt: string | null, attemptsRemaining: number, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict, reason: string | null }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type SentLogSubscriptionVariables = Exact<{
  filter?: LogFilter | null | undefined;
}>;


export type SentLogSubscription = { logAdded: { id: string } };

export type SendersQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type SendersQuery = { senders: Array<{ id: string, channel: Channel, name: string, approved: boolean, approvedAt: string | null, isDefault: boolean, templateRequired: boolean, createdAt: string, otpTemplate: { name: string, language: string } | null }> };

export type SenderFragment = { id: string, channel: Channel, name: string, approved: boolean, approvedAt: string | null, isDefault: boolean, templateRequired: boolean, createdAt: string, otpTemplate: { name: string, language: string } | null };

export type AddSenderMutationVariables = Exact<{
  input: SenderInput;
}>;


export type AddSenderMutation = { addSender: { id: string } };

export type ApproveSenderMutationVariables = Exact<{
  input: SenderInput;
}>;


export type ApproveSenderMutation = { approveSender: { id: string } };

export type SetTemplateRequiredMutationVariables = Exact<{
  input: SetTemplateRequiredInput;
}>;


export type SetTemplateRequiredMutation = { setTemplateRequired: { id: string } };

export type SetOtpTemplateMutationVariables = Exact<{
  input: SetOtpTemplateInput;
}>;


export type SetOtpTemplateMutation = { setOtpTemplate: { id: string } };

export type InvitationOfferQueryVariables = Exact<{
  token: string;
}>;


export type InvitationOfferQuery = { invitationOffer: { accountName: string, email: string, role: Role, meaning: string, invitedBy: string | null, expiresAt: string } | null };

export type AcceptInvitationMutationVariables = Exact<{
  input: AcceptInvitationInput;
}>;


export type AcceptInvitationMutation = { acceptInvitation: { kind: ViewerKind } };

export type SignInOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SignInOptionsQuery = { signInOptions: { oidcName: string | null, resetsPasswords: boolean } };

export type StartOidcMutationVariables = Exact<{ [key: string]: never; }>;


export type StartOidcMutation = { startOidc: string };

export type SignInByOidcMutationVariables = Exact<{
  input: SignInByOidcInput;
}>;


export type SignInByOidcMutation = { signInByOidc: { kind: ViewerKind } };

export type RequestPasswordResetMutationVariables = Exact<{
  input: RequestPasswordResetInput;
}>;


export type RequestPasswordResetMutation = { requestPasswordReset: boolean };

export type ResetPasswordMutationVariables = Exact<{
  input: ResetPasswordInput;
}>;


export type ResetPasswordMutation = { resetPassword: boolean };

export type SignInWithCodeMutationVariables = Exact<{
  input: SignInWithCodeInput;
}>;


export type SignInWithCodeMutation = { signInWithCode: { kind: ViewerKind } };

export type StartSecondFactorMutationVariables = Exact<{
  input: StartSecondFactorInput;
}>;


export type StartSecondFactorMutation = { startSecondFactor: { secret: string, uri: string } };

export type ConfirmSecondFactorMutationVariables = Exact<{
  input: ConfirmSecondFactorInput;
}>;


export type ConfirmSecondFactorMutation = { confirmSecondFactor: { codes: Array<string> } };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { signIn: { kind: ViewerKind } };

export type SignInAsOperatorMutationVariables = Exact<{
  input: SignInAsOperatorInput;
}>;


export type SignInAsOperatorMutation = { signInAsOperator: { kind: ViewerKind } };

export type TemplatesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: CloudTemplateFilter | null | undefined;
}>;


export type TemplatesQuery = { cloudTemplates: { nodes: Array<{ id: string, name: string, language: string, category: string, status: string, reason: string | null, preview: string | null, syncedAt: string, connection: { name: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type TemplateFragment = { id: string, name: string, language: string, category: string, status: string, reason: string | null, preview: string | null, syncedAt: string, connection: { name: string } | null };

export type TemplateConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type TemplateConnectionsQuery = { templateConnections: Array<{ connectionId: string, name: string }> };

export type SyncTemplatesMutationVariables = Exact<{
  connectionId: string;
}>;


export type SyncTemplatesMutation = { syncTemplates: { result: ProbeResult, message: string } };

export type CreateOtpTemplateMutationVariables = Exact<{
  input: CreateOtpTemplateInput;
}>;


export type CreateOtpTemplateMutation = { createOtpTemplate: { result: ProbeResult, message: string } };

export type TokensQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type TokensQuery = { tokens: Array<{ tokenId: string, area: Area, name: string | null, prefix: string, madeBy: TokenMaker | null, makerEmail: string | null, createdAt: string, lastUsedAt: string | null, lastUsedFrom: string | null, expiresAt: string | null, revokedAt: string | null }> };

export type TokenFragment = { tokenId: string, area: Area, name: string | null, prefix: string, madeBy: TokenMaker | null, makerEmail: string | null, createdAt: string, lastUsedAt: string | null, lastUsedFrom: string | null, expiresAt: string | null, revokedAt: string | null };

export type TokenSendersQueryVariables = Exact<{
  accountId?: string | null | undefined;
}>;


export type TokenSendersQuery = { senders: Array<{ channel: Channel, name: string, approved: boolean, isDefault: boolean }> };

export type CreateTokenMutationVariables = Exact<{
  input: CreateTokenInput;
}>;


export type CreateTokenMutation = { createToken: { secret: string, token: { tokenId: string, area: Area } } };

export type UpdateTokenMutationVariables = Exact<{
  input: UpdateTokenInput;
}>;


export type UpdateTokenMutation = { updateToken: { tokenId: string, name: string | null } };

export type RevokeTokenMutationVariables = Exact<{
  tokenId: string;
}>;


export type RevokeTokenMutation = { revokeToken: { tokenId: string } };

export type WebhookEndpointRowFragment = { endpointId: string, url: string, description: string | null, events: Array<string>, status: WebhookEndpointStatus, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, failedTries: number, waitingDeliveries: number, circuitOpenUntil: string | null, previousSecretUntil: string | null, createdAt: string };

export type WebhookDeliveryRowFragment = { deliveryId: string, event: string, isTest: boolean, status: WebhookDeliveryStatus, tryCount: number, nextTryAt: string | null, httpStatus: number | null, error: string | null, createdAt: string };

export type WebhookTryRowFragment = { id: string, number: number, httpStatus: number | null, durationMs: number, error: string | null, errorMessage: string | null, response: string | null, createdAt: string };

export type WebhookEndpointsQueryVariables = Exact<{
  page: number;
}>;


export type WebhookEndpointsQuery = { webhookEndpoints: { pageSize: number, total: number, rows: Array<{ p95Ms: number | null, endpointId: string, url: string, description: string | null, events: Array<string>, status: WebhookEndpointStatus, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, failedTries: number, waitingDeliveries: number, circuitOpenUntil: string | null, previousSecretUntil: string | null, createdAt: string }> } };

export type WebhookEndpointQueryVariables = Exact<{
  endpointId: string;
}>;


export type WebhookEndpointQuery = { webhookEndpoint: { endpointId: string, url: string, description: string | null, events: Array<string>, status: WebhookEndpointStatus, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, failedTries: number, waitingDeliveries: number, circuitOpenUntil: string | null, previousSecretUntil: string | null, createdAt: string } };

export type WebhookEventKindsQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookEventKindsQuery = { webhookEventKinds: Array<{ event: string, meaning: string, sample: string }> };

export type LastWebhookDeliveriesQueryVariables = Exact<{
  endpointId: string;
}>;


export type LastWebhookDeliveriesQuery = { webhookDeliveries: { nodes: Array<{ deliveryId: string, status: WebhookDeliveryStatus, tryCount: number }> } };

export type WebhookDeliveriesQueryVariables = Exact<{
  endpointId: string;
  filter?: WebhookDeliveryFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { nodes: Array<{ deliveryId: string, event: string, isTest: boolean, status: WebhookDeliveryStatus, tryCount: number, nextTryAt: string | null, httpStatus: number | null, error: string | null, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type WebhookDeliveryQueryVariables = Exact<{
  deliveryId: string;
}>;


export type WebhookDeliveryQuery = { webhookDelivery: { eventId: string, body: string | null, finishedAt: string | null, deliveryId: string, event: string, isTest: boolean, status: WebhookDeliveryStatus, tryCount: number, nextTryAt: string | null, httpStatus: number | null, error: string | null, createdAt: string, tries: Array<{ id: string, number: number, httpStatus: number | null, durationMs: number, error: string | null, errorMessage: string | null, response: string | null, createdAt: string }> } | null };

export type EndpointOfDeliveryQueryVariables = Exact<{
  deliveryId: string;
}>;


export type EndpointOfDeliveryQuery = { webhookDelivery: { endpointId: string } | null };

export type WebhookTriesSubscriptionVariables = Exact<{
  endpointId: string;
}>;


export type WebhookTriesSubscription = { webhookTryAdded: { deliveryId: string } };

export type CreateWebhookEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateWebhookEndpointMutation = { createWebhookEndpoint: { secret: string, endpoint: { endpointId: string, url: string, events: Array<string> } } };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateWebhookEndpointMutation = { updateWebhookEndpoint: { endpointId: string } };

export type EnableWebhookEndpointMutationVariables = Exact<{
  endpointId: string;
}>;


export type EnableWebhookEndpointMutation = { enableWebhookEndpoint: { endpointId: string } };

export type RotateWebhookSecretMutationVariables = Exact<{
  endpointId: string;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string, endpoint: { previousSecretUntil: string | null } } };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  endpointId: string;
}>;


export type DeleteWebhookEndpointMutation = { deleteWebhookEndpoint: { endpointId: string } };

export type TestWebhookEndpointMutationVariables = Exact<{
  endpointId: string;
  event?: string | null | undefined;
}>;


export type TestWebhookEndpointMutation = { testWebhookEndpoint: { id: string, number: number, httpStatus: number | null, durationMs: number, error: string | null, errorMessage: string | null, response: string | null, createdAt: string } };

export type RedeliverWebhookMutationVariables = Exact<{
  deliveryId: string;
}>;


export type RedeliverWebhookMutation = { redeliverWebhook: { status: WebhookDeliveryStatus } };

export type RedeliverWebhooksMutationVariables = Exact<{
  endpointId: string;
  filter?: WebhookRedeliveryFilter | null | undefined;
}>;


export type RedeliverWebhooksMutation = { redeliverWebhooks: { count: number } };

export type RecoverWebhooksMutationVariables = Exact<{
  endpointId: string;
  since: string;
}>;


export type RecoverWebhooksMutation = { recoverWebhooks: { count: number } };

export type AccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountsQuery = { accounts: Array<{ accountId: string, name: string, credits: number, unifiedApi: boolean, isSandboxed: boolean, createdAt: string }>, accountFigures: Array<{ accountId: string, attempts: number, accepted: number, failed: number }> };

export type PreviewFragment = { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, windowClosesAt: string | null, sentBy: SentBy, sandboxReason: string | null, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict, reason: string | null }> }> };

export type RecipientsQueryVariables = Exact<{
  endingWith: string;
}>;


export type RecipientsQuery = { recipients: Array<string> };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { signOut: boolean };

export type KnownTemplatesQueryVariables = Exact<{
  filter?: CloudTemplateFilter | null | undefined;
  components?: Array<Record<string, unknown>> | Record<string, unknown> | null | undefined;
}>;


export type KnownTemplatesQuery = { cloudTemplates: { nodes: Array<{ id: string, name: string, language: string, status: string, preview: string | null }> } };

export type StepFragment = { at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict, reason: string | null }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null };

export type SandboxPhonesQueryVariables = Exact<{ [key: string]: never; }>;


export type SandboxPhonesQuery = { sandboxPhones: Array<{ number: string, count: number, last: { id: string, text: string, createdAt: string } }> };

export type UnreadPeopleQueryVariables = Exact<{ [key: string]: never; }>;


export type UnreadPeopleQuery = { unreadPeople: number };

export type MessageCameSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type MessageCameSubscription = { inboundMessageAdded: { id: string } };

export type TextCameSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type TextCameSubscription = { logAdded: { id: string } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const PersonFragmentDoc = new TypedDocumentString(`
    fragment Person on User {
  userId
  email
  name
  role
  hasPassword
  secondFactorSince
  createdAt
}
    `, {"fragmentName":"Person"}) as unknown as TypedDocumentString<PersonFragment, unknown>;
export const FiguresFragmentDoc = new TypedDocumentString(`
    fragment Figures on HealthFigures {
  attempts
  taken
  refused
  unknown
  due
  delivered
  ackMs
  receiptMs
}
    `, {"fragmentName":"Figures"}) as unknown as TypedDocumentString<FiguresFragment, unknown>;
export const ConnectionFragmentDoc = new TypedDocumentString(`
    fragment Connection on ProviderConnection {
  connectionId
  name
  channel
  provider
  priority
  weight
  countries
  purposes
  paused
  config
  receiptsUrl
  quota {
    quality
    reach
    used
    readAt
  }
  session {
    state
    since
    isOpen
    error
    linkedAt
    lastAckAt
    lockedSince
    lockedUntil
    newChats {
      allowed
      used
      until
    }
    risksAcceptedBy
    pace {
      sentLastMinute
      perMinute
      newPeople
      newPeopleAllowed
    }
  }
  readings {
    country
    reason
    hour {
      ...Figures
    }
    day {
      ...Figures
    }
  }
  health {
    status
    since
    lastError
    nextTryAt
    figures {
      country
      attempts
      accepted
      delivered
      failed
      unknown
      medianMs
      p95Ms
    }
  }
}
    fragment Figures on HealthFigures {
  attempts
  taken
  refused
  unknown
  due
  delivered
  ackMs
  receiptMs
}`, {"fragmentName":"Connection"}) as unknown as TypedDocumentString<ConnectionFragment, unknown>;
export const LogRowFragmentDoc = new TypedDocumentString(`
    fragment LogRow on LogEntry {
  id
  type
  createdAt
  channel
  status
  recipient
  sender
  provider
  connection {
    connectionId
    name
  }
  messageId
  pinId
  reference
  errorCode
  errorMessage
  latencyMs
  segments
  credits
  pricing
}
    `, {"fragmentName":"LogRow"}) as unknown as TypedDocumentString<LogRowFragment, unknown>;
export const SendRowFragmentDoc = new TypedDocumentString(`
    fragment SendRow on LogSend {
  id
  messageId
  pinId
  status
  entries {
    id
    type
    createdAt
    channel
    status
    recipient
    sender
    provider
    reference
    errorCode
    errorMessage
    credits
  }
}
    `, {"fragmentName":"SendRow"}) as unknown as TypedDocumentString<SendRowFragment, unknown>;
export const TotalsFragmentDoc = new TypedDocumentString(`
    fragment Totals on OverviewTotals {
  attempts
  accepted
  delivered
  failed
  unknown
  credits
  successRate
}
    `, {"fragmentName":"Totals"}) as unknown as TypedDocumentString<TotalsFragment, unknown>;
export const AutoReplyFragmentDoc = new TypedDocumentString(`
    fragment AutoReply on AutoReply {
  keyword
  text
  cloudTemplate {
    name
    language
    components
  }
  updatedAt
}
    `, {"fragmentName":"AutoReply"}) as unknown as TypedDocumentString<AutoReplyFragment, unknown>;
export const RequestRowFragmentDoc = new TypedDocumentString(`
    fragment RequestRow on LoggedRequest {
  id
  actor
  tokenId
  method
  path
  operation
  status
  code
  meaning
  field
  clientAddress
  durationMs
  requestId
  leftOut
  createdAt
}
    `, {"fragmentName":"RequestRow"}) as unknown as TypedDocumentString<RequestRowFragment, unknown>;
export const SenderFragmentDoc = new TypedDocumentString(`
    fragment Sender on Sender {
  id
  channel
  name
  approved
  approvedAt
  isDefault
  templateRequired
  createdAt
  otpTemplate {
    name
    language
  }
}
    `, {"fragmentName":"Sender"}) as unknown as TypedDocumentString<SenderFragment, unknown>;
export const TemplateFragmentDoc = new TypedDocumentString(`
    fragment Template on CloudTemplateEntry {
  id
  name
  language
  category
  status
  reason
  preview
  connection {
    name
  }
  syncedAt
}
    `, {"fragmentName":"Template"}) as unknown as TypedDocumentString<TemplateFragment, unknown>;
export const TokenFragmentDoc = new TypedDocumentString(`
    fragment Token on Token {
  tokenId
  area
  name
  prefix
  madeBy
  makerEmail
  createdAt
  lastUsedAt
  lastUsedFrom
  expiresAt
  revokedAt
}
    `, {"fragmentName":"Token"}) as unknown as TypedDocumentString<TokenFragment, unknown>;
export const WebhookEndpointRowFragmentDoc = new TypedDocumentString(`
    fragment WebhookEndpointRow on WebhookEndpoint {
  endpointId
  url
  description
  events
  status
  disabledReason
  disabledAt
  failingSince
  failedTries
  waitingDeliveries
  circuitOpenUntil
  previousSecretUntil
  createdAt
}
    `, {"fragmentName":"WebhookEndpointRow"}) as unknown as TypedDocumentString<WebhookEndpointRowFragment, unknown>;
export const WebhookDeliveryRowFragmentDoc = new TypedDocumentString(`
    fragment WebhookDeliveryRow on WebhookDelivery {
  deliveryId
  event
  isTest
  status
  tryCount
  nextTryAt
  httpStatus
  error
  createdAt
}
    `, {"fragmentName":"WebhookDeliveryRow"}) as unknown as TypedDocumentString<WebhookDeliveryRowFragment, unknown>;
export const WebhookTryRowFragmentDoc = new TypedDocumentString(`
    fragment WebhookTryRow on WebhookTry {
  id
  number
  httpStatus
  durationMs
  error
  errorMessage
  response
  createdAt
}
    `, {"fragmentName":"WebhookTryRow"}) as unknown as TypedDocumentString<WebhookTryRowFragment, unknown>;
export const PreviewFragmentDoc = new TypedDocumentString(`
    fragment Preview on SendPreview {
  recipient
  country
  encoding
  segments
  credits
  costly {
    character
    codePoint
    cost
    count
    replacement
  }
  legs {
    channel
    from
    refusal
    windowClosesAt
    sentBy
    sandboxReason
    connections {
      connectionId
      name
      provider
      verdict
      reason
    }
  }
}
    `, {"fragmentName":"Preview"}) as unknown as TypedDocumentString<PreviewFragment, unknown>;
export const StepFragmentDoc = new TypedDocumentString(`
    fragment Step on TimelineEntry {
  at
  sinceMs
  kind
  status
  channel
  provider
  connection {
    connectionId
    name
  }
  skipped {
    connectionId
    name
    verdict
    reason
  }
  attemptId
  providerMessageId
  errorCode
  errorMessage
  durationMs
  credits
  segments
  reason
  webhook {
    deliveryId
    endpointId
    event
    urlHost
    status
    httpStatus
    error
    tries
    durationMs
  }
}
    `, {"fragmentName":"Step"}) as unknown as TypedDocumentString<StepFragment, unknown>;
export const ViewerDocument = {"__meta__":{"documentId":"sha256:419a529829143036d40bf3d272599ea762c609a8991bbac3bd05b18f84912615"}} as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const AccountPageDocument = {"__meta__":{"documentId":"sha256:44dbaa4aa73aebc7be28253fd43e88a59a425d6091b669caba32485b35081fa3"}} as unknown as TypedDocumentString<AccountPageQuery, AccountPageQueryVariables>;
export const SessionsDocument = {"__meta__":{"documentId":"sha256:437651864e35bd8731718826ee9bd6de210f132be913eb7b3f9d6b633fa976c6"}} as unknown as TypedDocumentString<SessionsQuery, SessionsQueryVariables>;
export const UpdateAccountDocument = {"__meta__":{"documentId":"sha256:1f7bef94cfdc6214c28567a3db909a1c4b326a3b2026d4a1992c5879f4a2299f"}} as unknown as TypedDocumentString<UpdateAccountMutation, UpdateAccountMutationVariables>;
export const UpdateRegionDocument = {"__meta__":{"documentId":"sha256:deaadc3a06fd080f5382f70d7d275d04f88fe64ac2c0591f596678dd23b95a60"}} as unknown as TypedDocumentString<UpdateRegionMutation, UpdateRegionMutationVariables>;
export const RevokeSessionDocument = {"__meta__":{"documentId":"sha256:6593905894b0baf9b6a2b8e5b10b0ff736010385e75305e4f3fad335e2a952a2"}} as unknown as TypedDocumentString<RevokeSessionMutation, RevokeSessionMutationVariables>;
export const SignOutEverywhereDocument = {"__meta__":{"documentId":"sha256:4c1763fb9c6a63882642b282f19ad507e4417c23a4c59c3b633e9f8fe21b26dc"}} as unknown as TypedDocumentString<SignOutEverywhereMutation, SignOutEverywhereMutationVariables>;
export const TurnOffSecondFactorDocument = {"__meta__":{"documentId":"sha256:6e7ff4c2a7d75a1935ac5f148eb27230aa645fc4cb69a463cb7c0d601b4439b8"}} as unknown as TypedDocumentString<TurnOffSecondFactorMutation, TurnOffSecondFactorMutationVariables>;
export const RenewRecoveryCodesDocument = {"__meta__":{"documentId":"sha256:0add0072de159d75a4144eb70171ec2ef596d1da55a17cc29f9809f208701773"}} as unknown as TypedDocumentString<RenewRecoveryCodesMutation, RenewRecoveryCodesMutationVariables>;
export const PeopleDocument = {"__meta__":{"documentId":"sha256:67f0cf5ac6f47aeb4de2496ee78a18f3205e4b5c3c416ae038a07cc5b22f6bf9"}} as unknown as TypedDocumentString<PeopleQuery, PeopleQueryVariables>;
export const SecondFactorRuleDocument = {"__meta__":{"documentId":"sha256:7fda0c708381d3285ad67256ef691322833a35a4675d76e57f37166c81613c0a"}} as unknown as TypedDocumentString<SecondFactorRuleQuery, SecondFactorRuleQueryVariables>;
export const RequireSecondFactorDocument = {"__meta__":{"documentId":"sha256:4093dd1567b2532e77d41d6e1838f9959e625eaec437c1930d7401d3d4f78b12"}} as unknown as TypedDocumentString<RequireSecondFactorMutation, RequireSecondFactorMutationVariables>;
export const TakeSecondFactorAwayDocument = {"__meta__":{"documentId":"sha256:d5b7b472da94a12b7e8e4bf05387aff670adf6d1284513703cb9c1d9e6b48041"}} as unknown as TypedDocumentString<TakeSecondFactorAwayMutation, TakeSecondFactorAwayMutationVariables>;
export const InvitationsDocument = {"__meta__":{"documentId":"sha256:63fc32eaf56c22ea464816a187d8f85147e07a32256a5263ac8663502a9566a6"}} as unknown as TypedDocumentString<InvitationsQuery, InvitationsQueryVariables>;
export const InviteUserDocument = {"__meta__":{"documentId":"sha256:3e0a5bc0e98102e9ce5282230b35be7a08a819cf57a0efe929a806f66eb0d07b"}} as unknown as TypedDocumentString<InviteUserMutation, InviteUserMutationVariables>;
export const RevokeInvitationDocument = {"__meta__":{"documentId":"sha256:9f056f80df6988a6c43a41e05e6ce331258baf5562e87acb8108d500540f3097"}} as unknown as TypedDocumentString<RevokeInvitationMutation, RevokeInvitationMutationVariables>;
export const UpdateUserDocument = {"__meta__":{"documentId":"sha256:f4c9f4bf32e68b79ed9eb44a98c8e6991067aad5ff8332be127b579cda925234"}} as unknown as TypedDocumentString<UpdateUserMutation, UpdateUserMutationVariables>;
export const RemoveUserDocument = {"__meta__":{"documentId":"sha256:9551d4079dfe89db4e5867bb13b0f8a4ddf828bfa80ade8df13f7da3ba7c6df4"}} as unknown as TypedDocumentString<RemoveUserMutation, RemoveUserMutationVariables>;
export const ChangePasswordDocument = {"__meta__":{"documentId":"sha256:6968814625f42583f0642223330b7cd2048aa5efe5e3f4279c0ed5777e1fb1e5"}} as unknown as TypedDocumentString<ChangePasswordMutation, ChangePasswordMutationVariables>;
export const RolesDocument = {"__meta__":{"documentId":"sha256:321f34215a07dff2ac86f1c425059ed4bac9c9d8a0159e102924fd51db93bc1f"}} as unknown as TypedDocumentString<RolesQuery, RolesQueryVariables>;
export const AlertRulesDocument = {"__meta__":{"documentId":"sha256:f1ca38a3d7f3a0c7c4fa5e0f091d65cabe9d46ef4d6fbefbaab54a02da0e78c7"}} as unknown as TypedDocumentString<AlertRulesQuery, AlertRulesQueryVariables>;
export const AlertsDocument = {"__meta__":{"documentId":"sha256:a09391bb4d48c75d49f5de9660ac50590e0e2f137fef5934f183b61fc4bcd113"}} as unknown as TypedDocumentString<AlertsQuery, AlertsQueryVariables>;
export const CreateAlertRuleDocument = {"__meta__":{"documentId":"sha256:e66cf0b8d79b3bcbda3e619de3080bead95220ac14b7d41c21090ded05134b3e"}} as unknown as TypedDocumentString<CreateAlertRuleMutation, CreateAlertRuleMutationVariables>;
export const UpdateAlertRuleDocument = {"__meta__":{"documentId":"sha256:a1cf38eda94883cbeb0308a7f73eaa41a2f2396d383125d83bab4446cdc60dd5"}} as unknown as TypedDocumentString<UpdateAlertRuleMutation, UpdateAlertRuleMutationVariables>;
export const TestAlertRuleDocument = {"__meta__":{"documentId":"sha256:b5aa820d903f0c8f73f32b8d09d82f98e318129baa8db582b499c85e2628d9ed"}} as unknown as TypedDocumentString<TestAlertRuleMutation, TestAlertRuleMutationVariables>;
export const DeleteAlertRuleDocument = {"__meta__":{"documentId":"sha256:4bb0059ff4c597642e6a56cf547c8715808de87a174181d2ca0834c5f3dcc403"}} as unknown as TypedDocumentString<DeleteAlertRuleMutation, DeleteAlertRuleMutationVariables>;
export const AuditTrailDocument = {"__meta__":{"documentId":"sha256:b5a5c54eff5520e8ca7429dc96b67909cfa1daf93e3241ba0985b5f9aa394206"}} as unknown as TypedDocumentString<AuditTrailQuery, AuditTrailQueryVariables>;
export const AuditActionsDocument = {"__meta__":{"documentId":"sha256:7b1ec56446bb8763807e7f6133967b25bbf8250a7f97e7325ae4d223a2546aff"}} as unknown as TypedDocumentString<AuditActionsQuery, AuditActionsQueryVariables>;
export const ConnectionsDocument = {"__meta__":{"documentId":"sha256:a8aad1a549d06a2da184148bbb5533c56744c8a6e33c24229b657ac00f0d1aee"}} as unknown as TypedDocumentString<ConnectionsQuery, ConnectionsQueryVariables>;
export const ProvidersDocument = {"__meta__":{"documentId":"sha256:f5f9ec052010b67cb486373e0d2eb39988468e3804414dd7cda69794a331dc34"}} as unknown as TypedDocumentString<ProvidersQuery, ProvidersQueryVariables>;
export const CreateConnectionDocument = {"__meta__":{"documentId":"sha256:303046efe4e9fdee3e83e78f7352d7ec54af7b534f072d5a13d49747cbbd915d"}} as unknown as TypedDocumentString<CreateConnectionMutation, CreateConnectionMutationVariables>;
export const UpdateConnectionDocument = {"__meta__":{"documentId":"sha256:a56e7bdaacec42caff47ab1a32762cc0cd2b55e9e65f9cefc51bbaa4e27665f5"}} as unknown as TypedDocumentString<UpdateConnectionMutation, UpdateConnectionMutationVariables>;
export const RenewReceiptsUrlDocument = {"__meta__":{"documentId":"sha256:dc3ba7521434339b5b3fb4b8e9e3d4ce16baf2364fde849d940ca172ff769e21"}} as unknown as TypedDocumentString<RenewReceiptsUrlMutation, RenewReceiptsUrlMutationVariables>;
export const ProbeConnectionDocument = {"__meta__":{"documentId":"sha256:9258a4a1f7740fc0d5f08a10b7ecdd78bc92a23c56b8f38b328c0251cd8cf951"}} as unknown as TypedDocumentString<ProbeConnectionMutation, ProbeConnectionMutationVariables>;
export const DeleteConnectionDocument = {"__meta__":{"documentId":"sha256:d002a6af6655d4e6f95ca3d606db9e433bfbd9f54704237670e2e26c636e2dd0"}} as unknown as TypedDocumentString<DeleteConnectionMutation, DeleteConnectionMutationVariables>;
export const TestConnectionDocument = {"__meta__":{"documentId":"sha256:0f6646ece29472de8dd1ba04ecb592d1aa833201338b32bc72f4d1cb2d80567e"}} as unknown as TypedDocumentString<TestConnectionMutation, TestConnectionMutationVariables>;
export const LinkConnectionDocument = {"__meta__":{"documentId":"sha256:41969a405bdd455d2f543a7582d6f34529836e392cdcefdeb0f5abdd568fbac7"}} as unknown as TypedDocumentString<LinkConnectionSubscription, LinkConnectionSubscriptionVariables>;
export const AcceptChatRisksDocument = {"__meta__":{"documentId":"sha256:d6db4a4ff8cbad79acac8500df63a7d252b190e6ded57cb9553b9c11c6e32cc0"}} as unknown as TypedDocumentString<AcceptChatRisksMutation, AcceptChatRisksMutationVariables>;
export const UnlinkConnectionDocument = {"__meta__":{"documentId":"sha256:54231f9aba282b2da97c756a8a1c3fc15304b1149fb118bfcabe6dbe0ff0a192"}} as unknown as TypedDocumentString<UnlinkConnectionMutation, UnlinkConnectionMutationVariables>;
export const CreditsDocument = {"__meta__":{"documentId":"sha256:d4fb23f859e4b3138f0cc8bd11ef8aba4f857824b778fc1d8e117991bfaf2685"}} as unknown as TypedDocumentString<CreditsQuery, CreditsQueryVariables>;
export const LedgerDocument = {"__meta__":{"documentId":"sha256:ab92e9c6e1031a2cb4e912a0301a76c6e011990fb76d8a3291f1f95a8f1fa821"}} as unknown as TypedDocumentString<LedgerQuery, LedgerQueryVariables>;
export const CreditDaysDocument = {"__meta__":{"documentId":"sha256:694883a9fb656dd58d0c1f30fbe9c066bcbbece2ba5c37699c99dff3a28ca876"}} as unknown as TypedDocumentString<CreditDaysQuery, CreditDaysQueryVariables>;
export const AdjustBalanceDocument = {"__meta__":{"documentId":"sha256:c0a3c7c6b44b799b3929c77facc8b99c2fc8d547d75cff68ef009dd5befeaa44"}} as unknown as TypedDocumentString<AdjustBalanceMutation, AdjustBalanceMutationVariables>;
export const UpdateBillingDocument = {"__meta__":{"documentId":"sha256:9dedf49e05660a8f467733517f1256a480a8bde47b6d3ce62cda6c335bd576ca"}} as unknown as TypedDocumentString<UpdateBillingMutation, UpdateBillingMutationVariables>;
export const InboxPeopleDocument = {"__meta__":{"documentId":"sha256:84097e0213ef24934447b1f216067ad30c9b250bf76d2104e7e9c0677ebbecb1"}} as unknown as TypedDocumentString<InboxPeopleQuery, InboxPeopleQueryVariables>;
export const InboxPersonDocument = {"__meta__":{"documentId":"sha256:268be0bf6be8700eb4d1839512f533d69cf4e8a476cae9adf04770a9ebbead5b"}} as unknown as TypedDocumentString<InboxPersonQuery, InboxPersonQueryVariables>;
export const ConversationDocument = {"__meta__":{"documentId":"sha256:6107425c57894e31d590616c7b748124f244a64ed839370f4d2621404a4d8e0a"}} as unknown as TypedDocumentString<ConversationQuery, ConversationQueryVariables>;
export const AnswerPreviewDocument = {"__meta__":{"documentId":"sha256:d3b2b40bc8c8831268af0bc06733115862f4be80527a38ba1a5e862e26d6baf5"}} as unknown as TypedDocumentString<AnswerPreviewQuery, AnswerPreviewQueryVariables>;
export const AnswerDocument = {"__meta__":{"documentId":"sha256:846c454326e6839f0c6a3ade6ee5a09404ba241b7a3407588f5b41a4aed27426"}} as unknown as TypedDocumentString<AnswerMutation, AnswerMutationVariables>;
export const MarkReadDocument = {"__meta__":{"documentId":"sha256:3e061b5f50cb1552977bbadc59a19d2d14093d604a35d97ba28bb94e7dcc686c"}} as unknown as TypedDocumentString<MarkReadMutation, MarkReadMutationVariables>;
export const AddNoteDocument = {"__meta__":{"documentId":"sha256:2c47fe18f85ce6d0c02b437f667856fe11e7821f9d0508d96ed7567b75f34204"}} as unknown as TypedDocumentString<AddNoteMutation, AddNoteMutationVariables>;
export const RemoveNoteDocument = {"__meta__":{"documentId":"sha256:18fe955bf00e82561cd5f39c3b344ad41218cc770301d3521530fc649fc124a1"}} as unknown as TypedDocumentString<RemoveNoteMutation, RemoveNoteMutationVariables>;
export const SuppressDocument = {"__meta__":{"documentId":"sha256:bb868b28c82c2adebeb269a98989c8b1902717db4c34eba8b9381a1da140c14f"}} as unknown as TypedDocumentString<SuppressMutation, SuppressMutationVariables>;
export const UnsuppressDocument = {"__meta__":{"documentId":"sha256:f8683e662ffc2fb36dbd56f97199e6d6eb525fd72103c174d56e37fd4eddfd81"}} as unknown as TypedDocumentString<UnsuppressMutation, UnsuppressMutationVariables>;
export const SmsSendersDocument = {"__meta__":{"documentId":"sha256:f68ccc39771a44f4c89e1716dc61a7e6339dd1416ada652606567c775d54f417"}} as unknown as TypedDocumentString<SmsSendersQuery, SmsSendersQueryVariables>;
export const InboxLogDocument = {"__meta__":{"documentId":"sha256:77a9b871f5fccb1ff020362888d1b6c5a5f9877c2199fef5394ed12ec1f978ee"}} as unknown as TypedDocumentString<InboxLogSubscription, InboxLogSubscriptionVariables>;
export const ExportRecipientDocument = {"__meta__":{"documentId":"sha256:1d5b000fb30fcec0fac8d86435c846621286b8d45747010ba85a92b8e440985c"}} as unknown as TypedDocumentString<ExportRecipientQuery, ExportRecipientQueryVariables>;
export const EraseRecipientDocument = {"__meta__":{"documentId":"sha256:5fc97c32d7056836b170fec2c2be54bc919eef0c131f12618c64ddeabfd1a09b"}} as unknown as TypedDocumentString<EraseRecipientMutation, EraseRecipientMutationVariables>;
export const LimitsDocument = {"__meta__":{"documentId":"sha256:4df1b6ac6e80f2ee4389a1d3636e329573017ae12ce2e0a304dc74a3b51ce47c"}} as unknown as TypedDocumentString<LimitsQuery, LimitsQueryVariables>;
export const UpdateOtpSettingsDocument = {"__meta__":{"documentId":"sha256:febca86bc49dc402b05105d2a4863c899f7d24f59c6f066863dc18e8630e9690"}} as unknown as TypedDocumentString<UpdateOtpSettingsMutation, UpdateOtpSettingsMutationVariables>;
export const LogHistogramDocument = {"__meta__":{"documentId":"sha256:252f8a2fc8094e7a303324ec1a473b1b8068cf2b40881da338b60a6c5d178747"}} as unknown as TypedDocumentString<LogHistogramQuery, LogHistogramQueryVariables>;
export const LogPageDocument = {"__meta__":{"documentId":"sha256:7623d4a1b5cff5ce0a02aeec60a7eb62d53c8687c50850d3ef781f706e839afe"}} as unknown as TypedDocumentString<LogPageQuery, LogPageQueryVariables>;
export const LiveLogDocument = {"__meta__":{"documentId":"sha256:7f6aa3b97edb20b0ad40e10317922e772cb9748e9278f6a9157f38cdb3725fa2"}} as unknown as TypedDocumentString<LiveLogSubscription, LiveLogSubscriptionVariables>;
export const FilterChoicesDocument = {"__meta__":{"documentId":"sha256:44f5168991ae79d34ed4be37704f75c6aba1a66f753f6813e9c66a111c1eca4c"}} as unknown as TypedDocumentString<FilterChoicesQuery, FilterChoicesQueryVariables>;
export const SendPageDocument = {"__meta__":{"documentId":"sha256:5f469dc9db5525742e03dbe7551cf1eb8a3812018f70b11c668bba40aaf53ddd"}} as unknown as TypedDocumentString<SendPageQuery, SendPageQueryVariables>;
export const LiveSendsDocument = {"__meta__":{"documentId":"sha256:43f483dec1cbb422af0113b0f29e0e5a8e859fa370c4d00c18192520679ab1f1"}} as unknown as TypedDocumentString<LiveSendsSubscription, LiveSendsSubscriptionVariables>;
export const MessageStoryDocument = {"__meta__":{"documentId":"sha256:d39090fcd379aa1ea138d552eee236563c9f7b3f557c2ebfeed36ccc448f1c42"}} as unknown as TypedDocumentString<MessageStoryQuery, MessageStoryQueryVariables>;
export const OtpStoryDocument = {"__meta__":{"documentId":"sha256:52c81baafc1442ead92e1b68658dc4cbe4d918671272c45808e8b802d3234c6d"}} as unknown as TypedDocumentString<OtpStoryQuery, OtpStoryQueryVariables>;
export const ResendMessageDocument = {"__meta__":{"documentId":"sha256:ad663c504797cf5a7bef310652a662eb0b3609edf9c4945c2a871371304bf747"}} as unknown as TypedDocumentString<ResendMessageMutation, ResendMessageMutationVariables>;
export const ResendLoggedOtpDocument = {"__meta__":{"documentId":"sha256:46371d33a7176d7f8d6422079d56b91153336432a1992481115e02c822df6ca4"}} as unknown as TypedDocumentString<ResendLoggedOtpMutation, ResendLoggedOtpMutationVariables>;
export const FirstStepsDocument = {"__meta__":{"documentId":"sha256:70a8fc2d7031ec97aaf9f9fdc5c0431b38fc26df9cb2503a9a742621694ecb01"}} as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const OverviewDocument = {"__meta__":{"documentId":"sha256:6ebd7efe2e1129ca31c3a64f6aec161cbf9f3e7c92a87978204a92945a797c5d"}} as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const PhoneThreadDocument = {"__meta__":{"documentId":"sha256:f8b807ae76fb0d41afce96ba0f218c2b6995622bb86b040920b6f1bb5f100a3a"}} as unknown as TypedDocumentString<PhoneThreadQuery, PhoneThreadQueryVariables>;
export const AnswerAsPhoneDocument = {"__meta__":{"documentId":"sha256:7cd11d5c257814cdb2e2553f22374aae7c04f62f2a05d8a1f608a04d58bca5f0"}} as unknown as TypedDocumentString<AnswerAsPhoneMutation, AnswerAsPhoneMutationVariables>;
export const ClearSandboxDocument = {"__meta__":{"documentId":"sha256:f70f9cf6e2c0d589162d4febf6ba209800ce9583b54decf29c2846f0a2da2625"}} as unknown as TypedDocumentString<ClearSandboxMutation, ClearSandboxMutationVariables>;
export const ReportTextDocument = {"__meta__":{"documentId":"sha256:cdda57652e7d95e3f69faeeb9c93a54f7af6d1aa7e1b6a9e928f1007d6c7b3d5"}} as unknown as TypedDocumentString<ReportTextMutation, ReportTextMutationVariables>;
export const OrderReceiptDocument = {"__meta__":{"documentId":"sha256:d914afb80bb8e6e1ac4009ad217f287bf602ce00b87fd73c70f286a2deeef0e5"}} as unknown as TypedDocumentString<OrderReceiptMutation, OrderReceiptMutationVariables>;
export const PhonesLogDocument = {"__meta__":{"documentId":"sha256:1fd763d5b8e26fba9c39d204c1a5365a75a39a11dd51cf18d366b013476022d9"}} as unknown as TypedDocumentString<PhonesLogSubscription, PhonesLogSubscriptionVariables>;
export const RepliesDocument = {"__meta__":{"documentId":"sha256:43053047c67c556ed0b8a489c193655a8fb3c766c0574b3b6c4fa94ed7fce219"}} as unknown as TypedDocumentString<RepliesQuery, RepliesQueryVariables>;
export const SetAutoReplyDocument = {"__meta__":{"documentId":"sha256:d0e6f158a37d98ab95d12c2c5b00c058cb0b08e378c40203ca65aeaa62edbff1"}} as unknown as TypedDocumentString<SetAutoReplyMutation, SetAutoReplyMutationVariables>;
export const RemoveAutoReplyDocument = {"__meta__":{"documentId":"sha256:bcc721ea10cde22c7b3c5ebd5be4f2e02db05de4db259a24a0f38a5a13932f78"}} as unknown as TypedDocumentString<RemoveAutoReplyMutation, RemoveAutoReplyMutationVariables>;
export const UpdateOptOutSettingsDocument = {"__meta__":{"documentId":"sha256:76a536995895b9b3bbae81431a2b32adca3aadf04c22a19e4522b807b6416a55"}} as unknown as TypedDocumentString<UpdateOptOutSettingsMutation, UpdateOptOutSettingsMutationVariables>;
export const RequestLogDocument = {"__meta__":{"documentId":"sha256:9a4c35503903e82b02addfa96d1809bded300e2d6024217e44e772fbab27d666"}} as unknown as TypedDocumentString<RequestLogQuery, RequestLogQueryVariables>;
export const RequestLogKeepsDocument = {"__meta__":{"documentId":"sha256:5215d3768c8e1f709896d7e39d556b6fdc3783428150f59ea8d56b1ab264bc55"}} as unknown as TypedDocumentString<RequestLogKeepsQuery, RequestLogKeepsQueryVariables>;
export const KeepAcceptedRequestsDocument = {"__meta__":{"documentId":"sha256:0e9b77314f44cb03ee56d968fdaa0308e99fc92f932940993be820d724bfb679"}} as unknown as TypedDocumentString<KeepAcceptedRequestsMutation, KeepAcceptedRequestsMutationVariables>;
export const SendChoicesDocument = {"__meta__":{"documentId":"sha256:00096f3f408b320b83a70ebe4aea513d23aca8120b0ad6abbea83ece4bbbd142"}} as unknown as TypedDocumentString<SendChoicesQuery, SendChoicesQueryVariables>;
export const PreviewSendDocument = {"__meta__":{"documentId":"sha256:52ea03b47d734f2dbb865e06a2a4edf028354daa2ffc824bb9ec6e76d611ec2c"}} as unknown as TypedDocumentString<PreviewSendQuery, PreviewSendQueryVariables>;
export const PreviewOtpDocument = {"__meta__":{"documentId":"sha256:0331f17f11c206d126297b957a265a37c6036f0861cfbc52c74f478dd2b93a28"}} as unknown as TypedDocumentString<PreviewOtpQuery, PreviewOtpQueryVariables>;
export const SendMessageDocument = {"__meta__":{"documentId":"sha256:7927f5b2035d99d911454784be51654467ea542582b1b5cf624ad50a6c4a0e01"}} as unknown as TypedDocumentString<SendMessageMutation, SendMessageMutationVariables>;
export const SendOtpDocument = {"__meta__":{"documentId":"sha256:31fd42a9df9da81f6793d22bfffe500ba19f0eb7d3727d8f1ef185d755e9e857"}} as unknown as TypedDocumentString<SendOtpMutation, SendOtpMutationVariables>;
export const ResendOtpDocument = {"__meta__":{"documentId":"sha256:c64c57bc9330bcde9d76ce2a423b098b986345eec80da9e96ac73594188cbf68"}} as unknown as TypedDocumentString<ResendOtpMutation, ResendOtpMutationVariables>;
export const VerifyOtpDocument = {"__meta__":{"documentId":"sha256:ee874074496e78eb47566b62e613d4434030110df5f0d5edfc95ea3e484286d1"}} as unknown as TypedDocumentString<VerifyOtpMutation, VerifyOtpMutationVariables>;
export const SentMessageDocument = {"__meta__":{"documentId":"sha256:91135c0601dc0aed3eda1494bbcf0b9cdf77a8c0fccd581c2796ee00956f4126"}} as unknown as TypedDocumentString<SentMessageQuery, SentMessageQueryVariables>;
export const SentOtpDocument = {"__meta__":{"documentId":"sha256:b4f6dac1cdb4f16b1673722bf2415676c0f3c78ceb6bdc81fd804d83d62737c9"}} as unknown as TypedDocumentString<SentOtpQuery, SentOtpQueryVariables>;
export const SentLogDocument = {"__meta__":{"documentId":"sha256:0a535db6aa7365e8aa120bdcdd46dab82f6dcb9eee26540bcbe44d1961504a57"}} as unknown as TypedDocumentString<SentLogSubscription, SentLogSubscriptionVariables>;
export const SendersDocument = {"__meta__":{"documentId":"sha256:981f465b46c74c1fa19a3506f4e553dc74732f44a3e5a1d5092107029a8ef8df"}} as unknown as TypedDocumentString<SendersQuery, SendersQueryVariables>;
export const AddSenderDocument = {"__meta__":{"documentId":"sha256:bd5dcd6d39d4df1808a5a76cb267746009824f5f92f0c1613c8951eb9357bdea"}} as unknown as TypedDocumentString<AddSenderMutation, AddSenderMutationVariables>;
export const ApproveSenderDocument = {"__meta__":{"documentId":"sha256:2d146ca4ab64f41f6f31a76d4c10c1f844231d6ab8ee6adea8de241769b4a16c"}} as unknown as TypedDocumentString<ApproveSenderMutation, ApproveSenderMutationVariables>;
export const SetTemplateRequiredDocument = {"__meta__":{"documentId":"sha256:befd7868dbbc33fde5ef8f9357cf7e606e6138b0fa310d2a0d9c6ddf010f4ed6"}} as unknown as TypedDocumentString<SetTemplateRequiredMutation, SetTemplateRequiredMutationVariables>;
export const SetOtpTemplateDocument = {"__meta__":{"documentId":"sha256:282c970cba8622e50eddfb52cf235f340cbe54111482ff4b09a298fcdab7149a"}} as unknown as TypedDocumentString<SetOtpTemplateMutation, SetOtpTemplateMutationVariables>;
export const InvitationOfferDocument = {"__meta__":{"documentId":"sha256:79942641c42ea21a4fd7846216cb85347f991f9093d69c46d940b06fb017aa05"}} as unknown as TypedDocumentString<InvitationOfferQuery, InvitationOfferQueryVariables>;
export const AcceptInvitationDocument = {"__meta__":{"documentId":"sha256:cc1ab5adf8ab668545da4f5d9f43feac7a2f0fcdfb285bdab4f883540b6321cb"}} as unknown as TypedDocumentString<AcceptInvitationMutation, AcceptInvitationMutationVariables>;
export const SignInOptionsDocument = {"__meta__":{"documentId":"sha256:a3d83ac22d068ead30648e2eb3953b5859bc9e988bc3705a88c93a92136fc3ad"}} as unknown as TypedDocumentString<SignInOptionsQuery, SignInOptionsQueryVariables>;
export const StartOidcDocument = {"__meta__":{"documentId":"sha256:9092ca463da9c62c660f1627a14858cc14e90d2a666b93dbd1670d9e93b77280"}} as unknown as TypedDocumentString<StartOidcMutation, StartOidcMutationVariables>;
export const SignInByOidcDocument = {"__meta__":{"documentId":"sha256:86b47ed9e7995a08e859632a31fb8ba8d5cd3c43005bee56cca737b11309fa50"}} as unknown as TypedDocumentString<SignInByOidcMutation, SignInByOidcMutationVariables>;
export const RequestPasswordResetDocument = {"__meta__":{"documentId":"sha256:21908662b0a274ed0ed68dbd256209cd85281fa16a7621aae7f05935c5597840"}} as unknown as TypedDocumentString<RequestPasswordResetMutation, RequestPasswordResetMutationVariables>;
export const ResetPasswordDocument = {"__meta__":{"documentId":"sha256:5c8ccf52fa6849e6130938f2b7f0898c8a9872b780ff44f891c84b38dd96fc24"}} as unknown as TypedDocumentString<ResetPasswordMutation, ResetPasswordMutationVariables>;
export const SignInWithCodeDocument = {"__meta__":{"documentId":"sha256:72ea3675268bf101d2a130a04cdcf21d39e0afa73b2430510a7e6f41964fb2fa"}} as unknown as TypedDocumentString<SignInWithCodeMutation, SignInWithCodeMutationVariables>;
export const StartSecondFactorDocument = {"__meta__":{"documentId":"sha256:27a6226412b6131d31fff0bcac098339fce118b96094b7f6b3556f1ef391ef77"}} as unknown as TypedDocumentString<StartSecondFactorMutation, StartSecondFactorMutationVariables>;
export const ConfirmSecondFactorDocument = {"__meta__":{"documentId":"sha256:aed9171d1dcd203d159c97e2e232f8abddea62d49d08bbfc1dcf459aec93e15d"}} as unknown as TypedDocumentString<ConfirmSecondFactorMutation, ConfirmSecondFactorMutationVariables>;
export const SignInDocument = {"__meta__":{"documentId":"sha256:3a7cc6797396aedc70a2024fda1a1047992cf536f30539d10aa779d51a68ce57"}} as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const SignInAsOperatorDocument = {"__meta__":{"documentId":"sha256:02d747a80eeede84f323b758ff2b1eaf13e51c007ab50fc8b2b0c2bbfd7a796f"}} as unknown as TypedDocumentString<SignInAsOperatorMutation, SignInAsOperatorMutationVariables>;
export const TemplatesDocument = {"__meta__":{"documentId":"sha256:e77075ce8cb3a4666be01960703a4bb51d72df1bef34a344fb2b1b0f974cb570"}} as unknown as TypedDocumentString<TemplatesQuery, TemplatesQueryVariables>;
export const TemplateConnectionsDocument = {"__meta__":{"documentId":"sha256:8ad1c9c670113ec934ba4fc00bf97e872819f83598782904e723bfc17e41d9f3"}} as unknown as TypedDocumentString<TemplateConnectionsQuery, TemplateConnectionsQueryVariables>;
export const SyncTemplatesDocument = {"__meta__":{"documentId":"sha256:c47f87629c929815c3cdb5c474749dc458a6c092a579e9f9d8c210ee0d8d2ab5"}} as unknown as TypedDocumentString<SyncTemplatesMutation, SyncTemplatesMutationVariables>;
export const CreateOtpTemplateDocument = {"__meta__":{"documentId":"sha256:e7a8621649a67cd93f4b1c4b3f19f4b72b8de8f6850125f9dac20ba207b82f39"}} as unknown as TypedDocumentString<CreateOtpTemplateMutation, CreateOtpTemplateMutationVariables>;
export const TokensDocument = {"__meta__":{"documentId":"sha256:a60d7255b9f84c6593796ed8afb04d2ab5ab87e119370210124344c3e90deebf"}} as unknown as TypedDocumentString<TokensQuery, TokensQueryVariables>;
export const TokenSendersDocument = {"__meta__":{"documentId":"sha256:08bc570e3490095ec906120a2411907587b807806db672eccd2281b160f681af"}} as unknown as TypedDocumentString<TokenSendersQuery, TokenSendersQueryVariables>;
export const CreateTokenDocument = {"__meta__":{"documentId":"sha256:e6c1b095765d08d30c2b2834f129b6f9fe78d0ce556d02b17f264dd19b709755"}} as unknown as TypedDocumentString<CreateTokenMutation, CreateTokenMutationVariables>;
export const UpdateTokenDocument = {"__meta__":{"documentId":"sha256:f79f81b0eaf2e481fb1a0b4b61055467397b999e3c8c11f0d07fb0e773d1a713"}} as unknown as TypedDocumentString<UpdateTokenMutation, UpdateTokenMutationVariables>;
export const RevokeTokenDocument = {"__meta__":{"documentId":"sha256:e2b6afa3e3a91a1a882767d04fc7915546ea89d1d44d1c18fa20052d0a507cc0"}} as unknown as TypedDocumentString<RevokeTokenMutation, RevokeTokenMutationVariables>;
export const WebhookEndpointsDocument = {"__meta__":{"documentId":"sha256:f12b1431565f9d50e9f30cc284facf2fd2ceee2dc64dfe41f109b0559a24943d"}} as unknown as TypedDocumentString<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>;
export const WebhookEndpointDocument = {"__meta__":{"documentId":"sha256:4c1c28f812f415c456bc7880fdac3111e75f359babb0948ceda8e10e3fc120f3"}} as unknown as TypedDocumentString<WebhookEndpointQuery, WebhookEndpointQueryVariables>;
export const WebhookEventKindsDocument = {"__meta__":{"documentId":"sha256:a26dd9b1d8568ccf36ca6d1a8016dce02c4673eb54efe9cb87ac2d8b89c730ef"}} as unknown as TypedDocumentString<WebhookEventKindsQuery, WebhookEventKindsQueryVariables>;
export const LastWebhookDeliveriesDocument = {"__meta__":{"documentId":"sha256:6975ec1deb123a7f51b2fc0ed1fa3150968a6d0f9e2d9cf93050f3b30ff10b23"}} as unknown as TypedDocumentString<LastWebhookDeliveriesQuery, LastWebhookDeliveriesQueryVariables>;
export const WebhookDeliveriesDocument = {"__meta__":{"documentId":"sha256:9df84d629f22ef0d28a6bffd36dc84493d0776a8a33e2706b0ba4768e1be446c"}} as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookDeliveryDocument = {"__meta__":{"documentId":"sha256:1d132178d2a59a8249dcdf3af92991d2dbea6a6faea1753394cfd47d40c88a7f"}} as unknown as TypedDocumentString<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;
export const EndpointOfDeliveryDocument = {"__meta__":{"documentId":"sha256:4de027689cacff2b4d982b58474302e9761577dd27307bfe0655377fb60418b2"}} as unknown as TypedDocumentString<EndpointOfDeliveryQuery, EndpointOfDeliveryQueryVariables>;
export const WebhookTriesDocument = {"__meta__":{"documentId":"sha256:27899c6426a9ca59ffdaee31fc2a1322698d182729266c4ad2221d4e908ed458"}} as unknown as TypedDocumentString<WebhookTriesSubscription, WebhookTriesSubscriptionVariables>;
export const CreateWebhookEndpointDocument = {"__meta__":{"documentId":"sha256:a9ecd9b0a33bf65f4c1c9dcab5526abcb04ff1d06fc404a3832432f850d242d5"}} as unknown as TypedDocumentString<CreateWebhookEndpointMutation, CreateWebhookEndpointMutationVariables>;
export const UpdateWebhookEndpointDocument = {"__meta__":{"documentId":"sha256:3cadde6c1f7c72fd452fae3f9d6d54f0f325a24cbc2f0cfea46c397272cd65ab"}} as unknown as TypedDocumentString<UpdateWebhookEndpointMutation, UpdateWebhookEndpointMutationVariables>;
export const EnableWebhookEndpointDocument = {"__meta__":{"documentId":"sha256:c5cbc76ca089660043158eab72b524214cbe2e7fda09792b35338fbf169f143a"}} as unknown as TypedDocumentString<EnableWebhookEndpointMutation, EnableWebhookEndpointMutationVariables>;
export const RotateWebhookSecretDocument = {"__meta__":{"documentId":"sha256:b80e81c72f21d57783322380fdf6d76c44ba402921a83634c780765277250108"}} as unknown as TypedDocumentString<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;
export const DeleteWebhookEndpointDocument = {"__meta__":{"documentId":"sha256:4ef0497e49b8eede8b868679b18a0270b44bb41f6cc7706a9fac481d79001a47"}} as unknown as TypedDocumentString<DeleteWebhookEndpointMutation, DeleteWebhookEndpointMutationVariables>;
export const TestWebhookEndpointDocument = {"__meta__":{"documentId":"sha256:f79bb4a0609eb56d8c25ef225c28865f7a55d82c4febb8cdd8349e60b3337fde"}} as unknown as TypedDocumentString<TestWebhookEndpointMutation, TestWebhookEndpointMutationVariables>;
export const RedeliverWebhookDocument = {"__meta__":{"documentId":"sha256:7be7ed31e180dd95744483bbb5a646aea3317aecb927e972bac0967f6053aca7"}} as unknown as TypedDocumentString<RedeliverWebhookMutation, RedeliverWebhookMutationVariables>;
export const RedeliverWebhooksDocument = {"__meta__":{"documentId":"sha256:9c11031a645b204799b5d173798b66da40e84617b8ed94fa99a4f460fa7853c5"}} as unknown as TypedDocumentString<RedeliverWebhooksMutation, RedeliverWebhooksMutationVariables>;
export const RecoverWebhooksDocument = {"__meta__":{"documentId":"sha256:7d7be427ef11fa7eb9836eea2955d1feefec5ea0fd2ef81caf743c2afae2ac51"}} as unknown as TypedDocumentString<RecoverWebhooksMutation, RecoverWebhooksMutationVariables>;
export const AccountsDocument = {"__meta__":{"documentId":"sha256:a78e30d26d7320ad68d4ac82a784e2a6200115ec92a6a38b90b40cbe95fcf0b4"}} as unknown as TypedDocumentString<AccountsQuery, AccountsQueryVariables>;
export const RecipientsDocument = {"__meta__":{"documentId":"sha256:1f60a8d622f7cd72e99b8439ae10f7328dd14e0ed0c87943de9dcd69ed5eef69"}} as unknown as TypedDocumentString<RecipientsQuery, RecipientsQueryVariables>;
export const SignOutDocument = {"__meta__":{"documentId":"sha256:39300be1f6ff47633a8c264de2a924d5b71367b646d3bf86d82d7c51c6543956"}} as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;
export const KnownTemplatesDocument = {"__meta__":{"documentId":"sha256:84efac30c72d3d7eeb7891581c56ad2c36f43a9826cbc52a24e7c42157334008"}} as unknown as TypedDocumentString<KnownTemplatesQuery, KnownTemplatesQueryVariables>;
export const SandboxPhonesDocument = {"__meta__":{"documentId":"sha256:5c8237c293f2c3038eaff50fb8404ee6eb5ab7ccf43ca62dfe08ce4e1396feab"}} as unknown as TypedDocumentString<SandboxPhonesQuery, SandboxPhonesQueryVariables>;
export const UnreadPeopleDocument = {"__meta__":{"documentId":"sha256:0e36846c59a0fa3f6cabbeeec6f195cea4b837ea13f47e1c2c6aa684bec330b4"}} as unknown as TypedDocumentString<UnreadPeopleQuery, UnreadPeopleQueryVariables>;
export const MessageCameDocument = {"__meta__":{"documentId":"sha256:fd750318d541271041677c62446b344e1b7da890c5dd1c23364a69e374204e52"}} as unknown as TypedDocumentString<MessageCameSubscription, MessageCameSubscriptionVariables>;
export const TextCameDocument = {"__meta__":{"documentId":"sha256:e1b759b11b1b80d7c8fc4066ed0481a6fa48272241dcccb177f3fb3a4c00899c"}} as unknown as TypedDocumentString<TextCameSubscription, TextCameSubscriptionVariables>;
