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

/** A time up to now, in whole buckets of UTC, of which the last is under way. */
export type OverviewRange =
  /** The last 24 hours, by hour. */
  | 'DAY'
  /** The last 30 days, by day. */
  | 'MONTH'
  /** The last 7 days, by 6 hours. */
  | 'WEEK';

/** What a person who signs in may do with the account. */
export type Role =
  /** Everything but managing who may sign in. */
  | 'DEVELOPER'
  /** Everything, and it manages who else may sign in. */
  | 'OWNER'
  /** To look: numbers are masked, texts are left out. */
  | 'VIEWER';

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
export const LogHistogramDocument = {"__meta__":{"documentId":"sha256:eceea08c3b0076452b9e4f6d702d3ca4e6e119aaf2c043e6d815baf221d4d937"}} as unknown as TypedDocumentString<LogHistogramQuery, LogHistogramQueryVariables>;
export const LogPageDocument = {"__meta__":{"documentId":"sha256:fe7e9460c4974e66c85be3bb333c222b25f68d0782bc4e8cdd72212852446b34"}} as unknown as TypedDocumentString<LogPageQuery, LogPageQueryVariables>;
export const LiveLogDocument = {"__meta__":{"documentId":"sha256:903ee2a882265e259c7f97f7fc06ac0a02a2015d9375361300da3eb171d9e957"}} as unknown as TypedDocumentString<LiveLogSubscription, LiveLogSubscriptionVariables>;
export const MessageStoryDocument = {"__meta__":{"documentId":"sha256:f9402677bdee771c6d20c1319eb66625b93f2c1fd5845dd1dfee74f2c314ccd9"}} as unknown as TypedDocumentString<MessageStoryQuery, MessageStoryQueryVariables>;
export const OtpStoryDocument = {"__meta__":{"documentId":"sha256:a1b0b2175b7730e492c44770283156f2f3ec306fa7c09de31c46267e7bf12a1c"}} as unknown as TypedDocumentString<OtpStoryQuery, OtpStoryQueryVariables>;
export const FirstStepsDocument = {"__meta__":{"documentId":"sha256:c5ec523efc974bd6ec9f8339bc7341de9e8eba4a88b9fa3a59b0346a0efbad18"}} as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const OverviewDocument = {"__meta__":{"documentId":"sha256:7bf531bda09dbcc9498ef54c29f31169f977cf2d2e96bebb9492ac72870f609b"}} as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const SignInDocument = {"__meta__":{"documentId":"sha256:3a7cc6797396aedc70a2024fda1a1047992cf536f30539d10aa779d51a68ce57"}} as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const SignInAsOperatorDocument = {"__meta__":{"documentId":"sha256:02d747a80eeede84f323b758ff2b1eaf13e51c007ab50fc8b2b0c2bbfd7a796f"}} as unknown as TypedDocumentString<SignInAsOperatorMutation, SignInAsOperatorMutationVariables>;
