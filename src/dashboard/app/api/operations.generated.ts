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

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { accountId: string, name: string, credits: number, unifiedApi: boolean, planExpiresAt: string | null } };

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
export const ViewerDocument = {"__meta__":{"documentId":"sha256:f03d5f6332566cfdb8ea47b3df5f797c9caaf5d198e379e3564c9404a3982acc"}} as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const LogPageDocument = {"__meta__":{"documentId":"sha256:fe7e9460c4974e66c85be3bb333c222b25f68d0782bc4e8cdd72212852446b34"}} as unknown as TypedDocumentString<LogPageQuery, LogPageQueryVariables>;
export const LiveLogDocument = {"__meta__":{"documentId":"sha256:903ee2a882265e259c7f97f7fc06ac0a02a2015d9375361300da3eb171d9e957"}} as unknown as TypedDocumentString<LiveLogSubscription, LiveLogSubscriptionVariables>;
