/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

/** An approved template of the cloud channel. */
export type CloudTemplateInput = {
  /** The components of the template, handed to the provider as they are. */
  components?: Array<Record<string, unknown>> | null | undefined;
  /** Language of the template, like `en_US`. */
  language: string;
  /** Name of the template. */
  name: string;
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
  /** It is paused. */
  | 'PAUSED'
  /** It is not for messages, or not for passcodes. */
  | 'PURPOSE'
  /** Its config cannot be read: its secret key is lost, or a newer gateway made it. */
  | 'UNUSABLE';

/** How several channels are used. */
export type DeliveryMode =
  /** All at once; the message is sent if any was accepted. */
  | 'ALL'
  /** One after another, the next as soon as one fails; stops at the first that the provider accepts. */
  | 'FALLBACK';

/** Which entries to list; what is absent does not narrow. */
export type LogFilter = {
  /** Only this channel. */
  channel?: Channel | null | undefined;
  /** Only from this time on. */
  from?: string | null | undefined;
  /** Only this message. */
  messageId?: string | null | undefined;
  /** Only this passcode. */
  pinId?: string | null | undefined;
  /** Only this phone number. */
  recipient?: string | null | undefined;
  /** Only requests with this reference. */
  reference?: string | null | undefined;
  /** Only this sender: an SMS sender name, or a chat number. */
  sender?: string | null | undefined;
  /** Only what stands there. */
  status?: LogStatus | null | undefined;
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
  /** The provider accepted it. */
  | 'SENT'
  /** The provider may have it: the answer never came. It is not tried again on that channel. */
  | 'UNKNOWN'
  /** The right code was given. */
  | 'VERIFIED';

/** What an entry of the log tells about. */
export type LogType =
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

/** A time up to now, in whole buckets of UTC, of which the last is under way. */
export type OverviewRange =
  /** The last 24 hours, by hour. */
  | 'DAY'
  /** The last 30 days, by day. */
  | 'MONTH'
  /** The last 7 days, by 6 hours. */
  | 'WEEK';

/** Which passcode to send again. */
export type ResendOtpInput = {
  /** The `pinId` that the send answered. */
  pinId: string;
};

/** What a person who signs in may do with the account. */
export type Role =
  /** Everything but managing who may sign in. */
  | 'DEVELOPER'
  /** Everything, and it manages who else may sign in. */
  | 'OWNER'
  /** To look: numbers are masked, texts are left out. */
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

/** One text to one recipient. */
export type SendMessageInput = {
  /** The channels in order of preference. Absent: every channel whose own fields are present. */
  channels?: Array<Channel> | null | undefined;
  /** Number of the QR sender. Required for `CHAT_QR`. */
  chatFrom?: string | null | undefined;
  /** Template settings. Required for `CHAT_CLOUD` where the cloud number takes templates only. */
  cloudTemplate?: CloudTemplateInput | null | undefined;
  /** How several channels are used: `FALLBACK`, one after another, as where it is absent; or `ALL` at once. */
  deliveryMode?: DeliveryMode | null | undefined;
  /** Your own idempotency reference, 1 to 255 visible characters: the same request with the same reference is sent once in 30 days. The header `Idempotency-Key` does the same. */
  reference?: string | null | undefined;
  /** Approved SMS sender name. Required for `SMS`. */
  sender?: string | null | undefined;
  /** The text, 1 to 1600 characters, at most 10 segments by SMS. */
  text: string;
  /** Recipient phone number with country code, with or without `+`. */
  to: string;
};

/** One passcode to one recipient. */
export type SendOtpInput = {
  /** For which site or app a phone may fill in the code from the SMS. */
  autofill?: OtpAutofillInput | null | undefined;
  /** The channels in order of preference. Absent: every channel whose own fields are present; with none of them, `SMS`. */
  channels?: Array<Channel> | null | undefined;
  /** Number of the QR sender. Required for `CHAT_QR`. */
  chatFrom?: string | null | undefined;
  /** The end user's address. No limit of sends counts it yet. */
  clientIp?: string | null | undefined;
  /** The template of `CHAT_CLOUD`. Absent: the one of the account's cloud number. */
  cloudTemplate?: OtpTemplateInput | null | undefined;
  /** How several channels are used: `FALLBACK`, one after another, as where it is absent; or `ALL` at once. */
  deliveryMode?: DeliveryMode | null | undefined;
  /** Seconds to the end of the code, 60 to 3600; 300 where absent. */
  expiresIn?: number | null | undefined;
  /** Digits of the code, 4 to 10; 6 where absent. */
  length?: number | null | undefined;
  /** Approved SMS sender name. Absent: the account's default one. */
  sender?: string | null | undefined;
  /** The text, with `{{code}}` and, if wanted, `{{minutes}}`. */
  template?: string | null | undefined;
  /** Recipient phone number with country code, with or without `+`. */
  to: string;
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

/** The operator who signs in. */
export type SignInAsOperatorInput = {
  /** The operator's token (`OPERATOR_TOKEN`). */
  token: string;
};

/** Who signs in. */
export type SignInInput = {
  /** The e-mail address. */
  email: string;
  /** The password. */
  password: string;
};

/** The alphabet of an SMS. */
export type SmsEncoding =
  /** GSM 03.38: 160 characters, 153 in each of several parts. */
  | 'GSM7'
  /** UCS-2: 70 units, 67 in each of several parts. */
  | 'UCS2';

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
  /** An endpoint was told, as `webhook` says. Shown to who may manage webhooks. */
  | 'WEBHOOK'
  /** A wrong code was given. */
  | 'WRONG_CODE';

/** A `pinId`, and the code that the user typed. */
export type VerifyOtpInput = {
  /** The end user's address, for the limits; without it the caller's address counts. */
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
  /** A token of an account. */
  | 'TOKEN'
  /** A person who is signed in. */
  | 'USER';

/** Where a delivery stands. */
export type WebhookDeliveryStatus =
  /** It was given up. It can be redelivered. */
  | 'DEAD'
  /** The endpoint acknowledged it. */
  | 'DELIVERED'
  /** It is tried at `nextTryAt`. */
  | 'PENDING';

export type AccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountsQuery = { accounts: Array<{ accountId: string, name: string, credits: number, unifiedApi: boolean, createdAt: string }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { kind: ViewerKind, role: Role | null, user: { userId: string, email: string, name: string | null } | null, account: { accountId: string, name: string, unifiedApi: boolean, planExpiresAt: string | null } | null, session: { sessionId: string } | null } | null };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { signOut: boolean };

export type InboxPhonesQueryVariables = Exact<{ [key: string]: never; }>;


export type InboxPhonesQuery = { sandboxPhones: Array<{ number: string, count: number, last: { id: string, text: string, createdAt: string } }> };

export type InboxThreadQueryVariables = Exact<{
  to: string;
}>;


export type InboxThreadQuery = { sandboxMessages: Array<{ id: string, channel: Channel, from: string | null, text: string, createdAt: string, about: { messageId: string | null, pinId: string | null, status: Status, code: string | null, isVerified: boolean | null } | null }> };

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

export type InboxLogSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type InboxLogSubscription = { logAdded: { recipient: string, type: LogType } };

export type LogHistogramQueryVariables = Exact<{
  filter?: LogFilter | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type LogHistogramQuery = { logHistogram: { from: string, to: string, bucketSeconds: number, countedFrom: string | null, buckets: Array<{ from: string, status: LogStatus, entries: number }> } };

export type LogPageQueryVariables = Exact<{
  filter?: LogFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LogPageQuery = { logs: { nodes: Array<{ id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, messageId: string | null, pinId: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, latencyMs: number | null, segments: number, credits: number, connection: { connectionId: string, name: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type LiveLogSubscriptionVariables = Exact<{
  filter?: LogFilter | null | undefined;
}>;


export type LiveLogSubscription = { logAdded: { id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, messageId: string | null, pinId: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, latencyMs: number | null, segments: number, credits: number, connection: { connectionId: string, name: string } | null } };

export type LogRowFragment = { id: string, type: LogType, createdAt: string, channel: Channel | null, status: LogStatus, recipient: string, sender: string | null, provider: string | null, messageId: string | null, pinId: string | null, reference: string | null, errorCode: string | null, errorMessage: string | null, latencyMs: number | null, segments: number, credits: number, connection: { connectionId: string, name: string } | null };

export type MessageStoryQueryVariables = Exact<{
  messageId: string;
}>;


export type MessageStoryQuery = { message: { messageId: string, status: Status, recipient: string, reference: string | null, text: string, segments: number, channel: Channel | null, channels: Array<Channel>, createdAt: string, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type OtpStoryQueryVariables = Exact<{
  pinId: string;
}>;


export type OtpStoryQuery = { otp: { pinId: string, status: OtpStatus, recipient: string, channel: Channel | null, createdAt: string, attemptsRemaining: number, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type FirstStepsQueryVariables = Exact<{
  withWebhooks: boolean;
}>;


export type FirstStepsQuery = { tokens: Array<{ lastUsedAt: string | null }>, sent: { nodes: Array<{ recipient: string }> }, verified: { nodes: Array<{ id: string }> }, webhookEndpoints?: { total: number } };

export type OverviewQueryVariables = Exact<{
  range: OverviewRange;
}>;


export type OverviewQuery = { overview: { from: string, to: string, previousFrom: string, bucketMinutes: number, creditsLeft: number, creditsLastDays: number | null, buckets: Array<{ from: string, channel: Channel, status: LogStatus, attempts: number }>, totals: { attempts: number, accepted: number, delivered: number, failed: number, unknown: number, credits: number, successRate: number | null }, previousTotals: { attempts: number, accepted: number, delivered: number, failed: number, unknown: number, credits: number, successRate: number | null }, otps: { sent: number, verified: number, conversionRate: number | null }, previousOtps: { conversionRate: number | null }, latencies: Array<{ channel: Channel, provider: string, attempts: number, medianMs: number, p95Ms: number }>, failures: Array<{ errorCode: string, channel: Channel, provider: string | null, country: string | null, attempts: number, previousAttempts: number }> } };

export type TotalsFragment = { attempts: number, accepted: number, delivered: number, failed: number, unknown: number, credits: number, successRate: number | null };

export type SendChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type SendChoicesQuery = { senders: Array<{ id: string, name: string, channel: Channel, approved: boolean, isDefault: boolean, otpTemplate: { name: string, language: string } | null }> };

export type PreviewSendQueryVariables = Exact<{
  input: SendMessageInput;
}>;


export type PreviewSendQuery = { preview: { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, sentBy: SentBy, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict }> }> } };

export type PreviewOtpQueryVariables = Exact<{
  input: SendOtpInput;
}>;


export type PreviewOtpQuery = { preview: { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, sentBy: SentBy, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict }> }> } };

export type PreviewFragment = { recipient: string, country: string | null, encoding: SmsEncoding, segments: number, credits: number, costly: Array<{ character: string, codePoint: string, cost: CharacterCost, count: number, replacement: string | null }>, legs: Array<{ channel: Channel, from: string, refusal: string | null, sentBy: SentBy, connections: Array<{ connectionId: string, name: string, provider: string, verdict: ConnectionVerdict }> }> };

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


export type SentMessageQuery = { message: { messageId: string, recipient: string, status: Status, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type SentOtpQueryVariables = Exact<{
  pinId: string;
}>;


export type SentOtpQuery = { otp: { pinId: string, recipient: string, status: OtpStatus, expiresAt: string, resendAvailableAt: string | null, attemptsRemaining: number, timeline: Array<{ at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null }> } | null };

export type SentLogSubscriptionVariables = Exact<{
  filter?: LogFilter | null | undefined;
}>;


export type SentLogSubscription = { logAdded: { id: string } };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { signIn: { kind: ViewerKind } };

export type SignInAsOperatorMutationVariables = Exact<{
  input: SignInAsOperatorInput;
}>;


export type SignInAsOperatorMutation = { signInAsOperator: { kind: ViewerKind } };

export type StepFragment = { at: string, sinceMs: number, kind: TimelineKind, status: LogStatus | null, channel: Channel | null, provider: string | null, attemptId: string | null, providerMessageId: string | null, errorCode: string | null, errorMessage: string | null, durationMs: number | null, credits: number | null, segments: number | null, reason: string, connection: { connectionId: string, name: string } | null, skipped: Array<{ connectionId: string, name: string, verdict: ConnectionVerdict }>, webhook: { deliveryId: string, endpointId: string, event: string, urlHost: string, status: WebhookDeliveryStatus, httpStatus: number | null, error: string | null, tries: number, durationMs: number | null } | null };

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
}
    `, {"fragmentName":"LogRow"}) as unknown as TypedDocumentString<LogRowFragment, unknown>;
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
    sentBy
    connections {
      connectionId
      name
      provider
      verdict
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
export const AccountsDocument = {"__meta__":{"documentId":"sha256:00aa291c285a6a5863aabb288227d3a989310a16f939ec8ee09d27a5b5fdad03"}} as unknown as TypedDocumentString<AccountsQuery, AccountsQueryVariables>;
export const ViewerDocument = {"__meta__":{"documentId":"sha256:065c9a20474a263e96b47a9703f3349442caa1318d3692b9f88706a32982f36c"}} as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const SignOutDocument = {"__meta__":{"documentId":"sha256:39300be1f6ff47633a8c264de2a924d5b71367b646d3bf86d82d7c51c6543956"}} as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;
export const InboxPhonesDocument = {"__meta__":{"documentId":"sha256:3edda75332526e6fe5ee147ac564343ed8ebe085b7275891d27efcd44d92875c"}} as unknown as TypedDocumentString<InboxPhonesQuery, InboxPhonesQueryVariables>;
export const InboxThreadDocument = {"__meta__":{"documentId":"sha256:b31ddfd743e67d0e005a97f9fbcb0ddbbba9192a346caef59de6bf0c09919ae6"}} as unknown as TypedDocumentString<InboxThreadQuery, InboxThreadQueryVariables>;
export const ReportTextDocument = {"__meta__":{"documentId":"sha256:cdda57652e7d95e3f69faeeb9c93a54f7af6d1aa7e1b6a9e928f1007d6c7b3d5"}} as unknown as TypedDocumentString<ReportTextMutation, ReportTextMutationVariables>;
export const OrderReceiptDocument = {"__meta__":{"documentId":"sha256:d914afb80bb8e6e1ac4009ad217f287bf602ce00b87fd73c70f286a2deeef0e5"}} as unknown as TypedDocumentString<OrderReceiptMutation, OrderReceiptMutationVariables>;
export const InboxLogDocument = {"__meta__":{"documentId":"sha256:ac2539c2d429f851ff713085ace41de971c9314d9d33278859546b4158ea3f8c"}} as unknown as TypedDocumentString<InboxLogSubscription, InboxLogSubscriptionVariables>;
export const LogHistogramDocument = {"__meta__":{"documentId":"sha256:eceea08c3b0076452b9e4f6d702d3ca4e6e119aaf2c043e6d815baf221d4d937"}} as unknown as TypedDocumentString<LogHistogramQuery, LogHistogramQueryVariables>;
export const LogPageDocument = {"__meta__":{"documentId":"sha256:fe7e9460c4974e66c85be3bb333c222b25f68d0782bc4e8cdd72212852446b34"}} as unknown as TypedDocumentString<LogPageQuery, LogPageQueryVariables>;
export const LiveLogDocument = {"__meta__":{"documentId":"sha256:903ee2a882265e259c7f97f7fc06ac0a02a2015d9375361300da3eb171d9e957"}} as unknown as TypedDocumentString<LiveLogSubscription, LiveLogSubscriptionVariables>;
export const MessageStoryDocument = {"__meta__":{"documentId":"sha256:f9402677bdee771c6d20c1319eb66625b93f2c1fd5845dd1dfee74f2c314ccd9"}} as unknown as TypedDocumentString<MessageStoryQuery, MessageStoryQueryVariables>;
export const OtpStoryDocument = {"__meta__":{"documentId":"sha256:a1b0b2175b7730e492c44770283156f2f3ec306fa7c09de31c46267e7bf12a1c"}} as unknown as TypedDocumentString<OtpStoryQuery, OtpStoryQueryVariables>;
export const FirstStepsDocument = {"__meta__":{"documentId":"sha256:c5ec523efc974bd6ec9f8339bc7341de9e8eba4a88b9fa3a59b0346a0efbad18"}} as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const OverviewDocument = {"__meta__":{"documentId":"sha256:7bf531bda09dbcc9498ef54c29f31169f977cf2d2e96bebb9492ac72870f609b"}} as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const SendChoicesDocument = {"__meta__":{"documentId":"sha256:4e63bc671716ab52a9de554c05df4c1b2e93d2a040cd6aab54560dcab6626b20"}} as unknown as TypedDocumentString<SendChoicesQuery, SendChoicesQueryVariables>;
export const PreviewSendDocument = {"__meta__":{"documentId":"sha256:fdda918c6404d950e9611862241c48c2a18b32723a2b91d887abb7fad1339b84"}} as unknown as TypedDocumentString<PreviewSendQuery, PreviewSendQueryVariables>;
export const PreviewOtpDocument = {"__meta__":{"documentId":"sha256:83d08daf206b576caad1e15254a70e8110b874122fc205c6f756c8a2fa2f5667"}} as unknown as TypedDocumentString<PreviewOtpQuery, PreviewOtpQueryVariables>;
export const SendMessageDocument = {"__meta__":{"documentId":"sha256:7927f5b2035d99d911454784be51654467ea542582b1b5cf624ad50a6c4a0e01"}} as unknown as TypedDocumentString<SendMessageMutation, SendMessageMutationVariables>;
export const SendOtpDocument = {"__meta__":{"documentId":"sha256:31fd42a9df9da81f6793d22bfffe500ba19f0eb7d3727d8f1ef185d755e9e857"}} as unknown as TypedDocumentString<SendOtpMutation, SendOtpMutationVariables>;
export const ResendOtpDocument = {"__meta__":{"documentId":"sha256:c64c57bc9330bcde9d76ce2a423b098b986345eec80da9e96ac73594188cbf68"}} as unknown as TypedDocumentString<ResendOtpMutation, ResendOtpMutationVariables>;
export const VerifyOtpDocument = {"__meta__":{"documentId":"sha256:ee874074496e78eb47566b62e613d4434030110df5f0d5edfc95ea3e484286d1"}} as unknown as TypedDocumentString<VerifyOtpMutation, VerifyOtpMutationVariables>;
export const SentMessageDocument = {"__meta__":{"documentId":"sha256:63e9682402c8c8d248e303ff2131cce5a7ceb8eb0d26a41869318bc3a5bf0980"}} as unknown as TypedDocumentString<SentMessageQuery, SentMessageQueryVariables>;
export const SentOtpDocument = {"__meta__":{"documentId":"sha256:9df989892feae72f06a63209b35037185f1bd182867cf692dd919f47e843018e"}} as unknown as TypedDocumentString<SentOtpQuery, SentOtpQueryVariables>;
export const SentLogDocument = {"__meta__":{"documentId":"sha256:0a535db6aa7365e8aa120bdcdd46dab82f6dcb9eee26540bcbe44d1961504a57"}} as unknown as TypedDocumentString<SentLogSubscription, SentLogSubscriptionVariables>;
export const SignInDocument = {"__meta__":{"documentId":"sha256:3a7cc6797396aedc70a2024fda1a1047992cf536f30539d10aa779d51a68ce57"}} as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const SignInAsOperatorDocument = {"__meta__":{"documentId":"sha256:02d747a80eeede84f323b758ff2b1eaf13e51c007ab50fc8b2b0c2bbfd7a796f"}} as unknown as TypedDocumentString<SignInAsOperatorMutation, SignInAsOperatorMutationVariables>;
