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

/** A new endpoint. */
export type CreateWebhookEndpointInput = {
  /** What it is for, for people, at most 500 characters. */
  description?: string | null | undefined;
  /** The events that it gets, at least one, each once. */
  events: Array<string>;
  /** Where events are posted to: http or https, a public address, at most 2,048 characters, no fragment. */
  url: string;
};

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

/** What a caller is known by. */
export type ViewerKind =
  /** The operator, by the token or signed in with it. */
  | 'OPERATOR'
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

export type AccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountsQuery = { accounts: Array<{ accountId: string, name: string, credits: number, unifiedApi: boolean, createdAt: string }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { kind: ViewerKind, role: Role | null, user: { userId: string, email: string, name: string | null } | null, account: { accountId: string, name: string, unifiedApi: boolean, planExpiresAt: string | null } | null, session: { sessionId: string } | null } | null };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { signOut: boolean };

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

export type FirstStepsQueryVariables = Exact<{
  withWebhooks: boolean;
}>;


export type FirstStepsQuery = { tokens: Array<{ lastUsedAt: string | null }>, sent: { nodes: Array<{ recipient: string }> }, verified: { nodes: Array<{ id: string }> }, webhookEndpoints?: { total: number } };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { signIn: { kind: ViewerKind } };

export type SignInAsOperatorMutationVariables = Exact<{
  input: SignInAsOperatorInput;
}>;


export type SignInAsOperatorMutation = { signInAsOperator: { kind: ViewerKind } };

export type WebhookEndpointRowFragment = { endpointId: string, url: string, description: string | null, events: Array<string>, status: WebhookEndpointStatus, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, circuitOpenUntil: string | null, previousSecretUntil: string | null, createdAt: string };

export type WebhookDeliveryRowFragment = { deliveryId: string, event: string, isTest: boolean, status: WebhookDeliveryStatus, tryCount: number, nextTryAt: string | null, httpStatus: number | null, error: string | null, createdAt: string };

export type WebhookTryRowFragment = { id: string, number: number, httpStatus: number | null, durationMs: number, error: string | null, errorMessage: string | null, response: string | null, createdAt: string };

export type WebhookEndpointsQueryVariables = Exact<{
  page: number;
}>;


export type WebhookEndpointsQuery = { webhookEndpoints: { pageSize: number, total: number, rows: Array<{ endpointId: string, url: string, description: string | null, events: Array<string>, status: WebhookEndpointStatus, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, circuitOpenUntil: string | null, previousSecretUntil: string | null, createdAt: string }> } };

export type WebhookEndpointQueryVariables = Exact<{
  endpointId: string;
}>;


export type WebhookEndpointQuery = { webhookEndpoint: { endpointId: string, url: string, description: string | null, events: Array<string>, status: WebhookEndpointStatus, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, circuitOpenUntil: string | null, previousSecretUntil: string | null, createdAt: string } };

export type WebhookEventKindsQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookEventKindsQuery = { webhookEventKinds: Array<{ event: string, meaning: string, sample: string }> };

export type LastWebhookDeliveriesQueryVariables = Exact<{
  endpointId: string;
}>;


export type LastWebhookDeliveriesQuery = { webhookDeliveries: { nodes: Array<{ deliveryId: string, status: WebhookDeliveryStatus }> } };

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
export const AccountsDocument = {"__meta__":{"documentId":"sha256:00aa291c285a6a5863aabb288227d3a989310a16f939ec8ee09d27a5b5fdad03"}} as unknown as TypedDocumentString<AccountsQuery, AccountsQueryVariables>;
export const ViewerDocument = {"__meta__":{"documentId":"sha256:065c9a20474a263e96b47a9703f3349442caa1318d3692b9f88706a32982f36c"}} as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const SignOutDocument = {"__meta__":{"documentId":"sha256:39300be1f6ff47633a8c264de2a924d5b71367b646d3bf86d82d7c51c6543956"}} as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;
export const LogPageDocument = {"__meta__":{"documentId":"sha256:fe7e9460c4974e66c85be3bb333c222b25f68d0782bc4e8cdd72212852446b34"}} as unknown as TypedDocumentString<LogPageQuery, LogPageQueryVariables>;
export const LiveLogDocument = {"__meta__":{"documentId":"sha256:903ee2a882265e259c7f97f7fc06ac0a02a2015d9375361300da3eb171d9e957"}} as unknown as TypedDocumentString<LiveLogSubscription, LiveLogSubscriptionVariables>;
export const FirstStepsDocument = {"__meta__":{"documentId":"sha256:c5ec523efc974bd6ec9f8339bc7341de9e8eba4a88b9fa3a59b0346a0efbad18"}} as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const SignInDocument = {"__meta__":{"documentId":"sha256:3a7cc6797396aedc70a2024fda1a1047992cf536f30539d10aa779d51a68ce57"}} as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const SignInAsOperatorDocument = {"__meta__":{"documentId":"sha256:02d747a80eeede84f323b758ff2b1eaf13e51c007ab50fc8b2b0c2bbfd7a796f"}} as unknown as TypedDocumentString<SignInAsOperatorMutation, SignInAsOperatorMutationVariables>;
export const WebhookEndpointsDocument = {"__meta__":{"documentId":"sha256:50c2dccf59f1b2527291f70e4a742106aa69d03883fd1616360e4fd3d26bb3e5"}} as unknown as TypedDocumentString<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>;
export const WebhookEndpointDocument = {"__meta__":{"documentId":"sha256:518abf6f575357e5e62f5ccd1959006c16d1a4790c7914af5ae06f60c605cb6a"}} as unknown as TypedDocumentString<WebhookEndpointQuery, WebhookEndpointQueryVariables>;
export const WebhookEventKindsDocument = {"__meta__":{"documentId":"sha256:a26dd9b1d8568ccf36ca6d1a8016dce02c4673eb54efe9cb87ac2d8b89c730ef"}} as unknown as TypedDocumentString<WebhookEventKindsQuery, WebhookEventKindsQueryVariables>;
export const LastWebhookDeliveriesDocument = {"__meta__":{"documentId":"sha256:be414d2ac6081050c535cb4672e5891aa48591a217ddf7a7e51bb14cc2592205"}} as unknown as TypedDocumentString<LastWebhookDeliveriesQuery, LastWebhookDeliveriesQueryVariables>;
export const WebhookDeliveriesDocument = {"__meta__":{"documentId":"sha256:9df84d629f22ef0d28a6bffd36dc84493d0776a8a33e2706b0ba4768e1be446c"}} as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookDeliveryDocument = {"__meta__":{"documentId":"sha256:1d132178d2a59a8249dcdf3af92991d2dbea6a6faea1753394cfd47d40c88a7f"}} as unknown as TypedDocumentString<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;
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
