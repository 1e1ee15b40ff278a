/** The interface of a provider. Deadlines, retries, masking and metrics belong to the gateway (`dispatch.ts`). */
import { z } from 'zod';
import type { Channel } from '../kernel/channel.ts';
import type { SendOutcome } from './outcome.ts';
import type { Quota } from './quota.ts';
import type { SessionFace } from './session.ts';

/** A template of a cloud chat API, as in the request. `components` is passed to the provider unchanged. */
export interface CloudTemplate {
  name: string;
  language: string;
  components?: unknown[] | undefined;
}

/** One attempt, for a provider. */
export interface SendRequest {
  /** `att_…`; pass it as the client reference if the provider's API takes one. */
  readonly attemptId: string;
  /** The message (`msg_…`) or OTP (`pin_…`) that it is of; absent: a test, which is stored nowhere. */
  readonly sendId?: string;
  readonly accountId: string;
  readonly channel: Channel;
  /** The recipient, digits only. */
  readonly to: string;
  /** The sender name (sms), the QR sender's number (chat_qr) or the cloud number (chat_cloud). */
  readonly from: string;
  readonly text: string;
  readonly template: CloudTemplate | null;
  /** How many seconds the text is worth anything: what is left of a passcode's life. A provider that can is told to give up then. Null: no limit. */
  readonly validitySeconds: number | null;
  /** Whether the recipient gets it though they stopped, as the confirmation of that, or a passcode where the account lets it through. Absent: they do not. */
  readonly goesToSuppressed?: boolean | undefined;
  /** Asked after each wait, while nothing has left: an outcome ends the attempt. Absent: nothing ends it. */
  readonly refuse?: () => Extract<SendOutcome, { readonly kind: 'rejected' }> | null;
  /** 1 for the first try of this attempt; higher after `throttled`. */
  readonly tryNumber: number;
}

/** A later status, reported by a provider. */
export const receiptSchema = z.object({
  provider: z.string(),
  /** The connection it came by; absent: the sandbox. */
  connectionId: z.string().nullish(),
  providerMessageId: z.string(),
  /** The attempt, if the provider repeats our reference: the gateway may not know the provider's id yet. */
  attemptId: z.string().nullish(),
  status: z.enum(['sent', 'delivered', 'read', 'failed', 'expired']),
  /** One word. Of anything else nothing is kept: it may be a piece of the text, which is not at hand to compare. */
  errorCode: z.string().nullable(),
  /** A sentence of ours. */
  errorMessage: z.string().nullable(),
  /** The price of the message, as the provider writes it. Absent or null: it does not say. */
  pricing: z.record(z.string(), z.unknown()).nullish(),
});

/** A later status, checked. */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;

/** A report as a provider makes it: a receipt, before the gateway adds whose it is. */
export type Report = Omit<Receipt, 'provider' | 'connectionId'>;

/** A message of a person, as a provider tells it; the gateway adds whose it is. */
export interface Inbound {
  /** The provider's own id of it, or of the part: the same one twice is one. Null: the provider has none. */
  readonly providerMessageId: string | null;
  /** The writer: a number, or what the channel has in its place. */
  readonly from: string;
  /** The channel's own id of the writer beside the number in `from`, such as a business-scoped user id. Both are one person. Absent: `from` is all there is. */
  readonly userId?: string;
  /** The id by which the channel knew the writer before, where it tells of a change. Both are one person. */
  readonly formerId?: string;
  /** The number that the writer had before, where the channel tells of a change. Whoever writes from it later is somebody else. */
  readonly formerNumber?: string;
  /** The name that the person shows; absent: none is told. */
  readonly username?: string;
  /** The sender of ours that it came to, a number or a name. */
  readonly to: string;
  /** `text`, or the kind of what else it is. */
  readonly type: string;
  /** Null: it has none. */
  readonly text: string | null;
  /** When the person wrote, by the clock of the provider, which may bring it late. Absent: it does not say. */
  readonly sentAt?: Date;
  /** The provider's id of a message of ours that it quotes; absent: it quotes none, or does not say. */
  readonly quotes?: string;
  /** The part of a long text that it is; absent: it is the whole. */
  readonly part?: InboundPart;
  /** Whether the provider has answered it by itself, as to STOP and HELP: nobody answers it again. Absent: it has not. */
  readonly isAnswered?: true;
  /** The word that the provider took it for, whatever the text is. Absent: the text says. */
  readonly takenFor?: 'STOP' | 'START' | 'HELP';
}

/** The place of a part in its text. */
export interface InboundPart {
  /** The same for all parts of a text. */
  readonly reference: string;
  /** How many parts the text has. */
  readonly total: number;
  /** From 1. */
  readonly number: number;
}

/** The recipient of an attempt, of whom a provider tells two addresses. */
export interface Acquaintance {
  /** Null: the provider does not repeat it, and the attempt is known by `providerMessageId`. */
  readonly attemptId: string | null;
  readonly providerMessageId: string;
  /** Digits only. */
  readonly number: string;
  /** The channel's own id of the same person. */
  readonly userId: string;
  /** The name that the person shows; null: none is told. */
  readonly username: string | null;
}

/** A change of a template, as its provider tells it. */
export interface TemplateNews {
  readonly name: string;
  readonly language: string;
  /** The provider's word, such as `APPROVED`, `PAUSED` or `REJECTED`. */
  readonly status: string;
  /** Why, in the provider's word; null: none is told. */
  readonly reason: string | null;
  /** When it was told, by the clock of the provider, whose calls may come late; null: it does not say. */
  readonly toldAt: Date | null;
}

/** A template as its provider lists it. */
export interface ListedTemplate {
  readonly name: string;
  readonly language: string;
  /** The provider's word, such as `AUTHENTICATION`. */
  readonly category: string;
  /** As in `TemplateNews`. */
  readonly status: string;
  /** As in `TemplateNews`. */
  readonly reason: string | null;
  /** Its parts, as the provider has them. */
  readonly components: readonly Record<string, unknown>[];
}

/** A template for codes that a provider is to have. */
export interface OtpTemplateDraft {
  readonly name: string;
  readonly language: string;
  /** How long the text says that a code is good, in minutes; null: it does not say. */
  readonly codeExpirationMinutes: number | null;
  /** Whether the text asks to tell the code to nobody. */
  readonly hasSecurityAdvice: boolean;
}

/** The templates of a provider that sends by them. */
export interface Templates {
  /** Every template that it has; else why it could not be asked. `signal` aborts at the deadline. */
  list(signal: AbortSignal): Promise<{ readonly templates: readonly ListedTemplate[] } | Probed>;
  /** Makes one for codes, which the provider then looks at; answers it as it is then, else why there is none. */
  createOtp(draft: OtpTemplateDraft, signal: AbortSignal): Promise<{ readonly template: ListedTemplate } | Probed>;
}

/** The content of one call of a provider that says everything at one address. */
export interface Callback {
  /** The body of the answer, by which a provider proves an address (a challenge). Absent: any will do. */
  readonly answer?: string;
  /** Its content, by the numbers that it is about. */
  readonly news: readonly News[];
}

/** The part of a call that is about one number. */
export interface News {
  /** The provider's id of the number (`Provider.numberId`); null: it is about every number of the business. */
  readonly numberId: string | null;
  /** The number itself in digits; null: it is not told. */
  readonly number: string | null;
  /** The provider's id of the business (`Provider.businessId`); null: it is not told. */
  readonly businessId: string | null;
  readonly reports: readonly Report[];
  readonly messages: readonly Inbound[];
  readonly people: readonly Acquaintance[];
  readonly templates: readonly TemplateNews[];
}

/** An HTTP request in which a provider reports, as far as it is looked at. */
export interface ReportRequest {
  readonly method: 'GET' | 'POST';
  /** The public address that the provider was given, with the query string that it asked with: what signatures are made over. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they came: signatures are made over them. */
  readonly body: Buffer;
}

/** The features of a provider. */
export interface Capabilities {
  readonly channels: readonly Channel[];
  /** How it reports later statuses: by HTTP to the address of receipts, in a way of its own, or not at all. */
  readonly receipts: 'http' | 'own' | 'none';
  /** False: its receipts never tell an arrival, so that nobody waits for one. Absent: they do, if it has any. */
  readonly arrivals?: false;
  /** Whether it takes and reports the parts of a long text by themselves (`partIds`). */
  readonly parts?: true;
}

/** A provider with its configuration: what a connection sends by. A plain object: others are made of it by spreading. */
export interface Provider {
  readonly id: string;
  readonly capabilities: Capabilities;
  /** Sends one attempt; `signal` aborts at the deadline. An answer to that at once still counts: it was `accepted`, or nothing has left. Otherwise, or where it throws, it is `unknown`: bytes may have left. */
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** Reads what the provider reports by HTTP. Empty: nothing that the gateway keeps. `forged`: its signature is missing or wrong. Absent: it does not report so. */
  reportsOf?(request: ReportRequest): readonly Report[] | 'forged';
  /**
   * Reads what people wrote, which the provider brings to the address of receipts with `/inbound` behind it. Empty: nothing that is kept. `forged`: its
   * signature is missing or wrong, or nobody said how it is read. `unreadable`: it is read otherwise, and the provider keeps what is refused. Absent: it does
   * not bring it so.
   */
  inboundOf?(request: ReportRequest): readonly Inbound[] | 'forged' | 'unreadable';
  /** The provider's id of the number that it sends by, where one address serves several numbers. Absent: each connection has an address of its own. */
  readonly numberId?: string;
  /** The provider's id of the business that the number is of, whose templates it sends. */
  readonly businessId?: string;
  /** How many messages a second its number sends and gets, over all processes. Absent: it has no pace, or keeps it by itself. */
  readonly perSecond?: number;
  /** Asks for the limits of its number. Null: the provider did not answer so. Absent: it sets none. */
  quota?(signal: AbortSignal): Promise<Quota | null>;
  /** Whether a call to an address of several numbers is signed with the secret of this one's connection. */
  signs?(request: ReportRequest): boolean;
  /** Reads a call of a provider that says everything at one address, instead of `reportsOf` and `inboundOf`. `forged`: its signature is missing or wrong. */
  callbackOf?(request: ReportRequest): Callback | 'forged';
  /** Its number, which is connected in one process at a time: it sends by `bySession`. Absent: each process has connections of its own. */
  readonly session?: SessionFace;
  /** Its templates. Absent: it has none, or its config does not say whose they are. */
  readonly templates?: Templates;
  /** Connects what stands (SMPP), and keeps it so. Called once, before the first send; what is made and not opened has nothing open. Absent: nothing stands. */
  open?(): void;
  /** Ends what it has open, after what is under way. Absent: it has nothing. */
  close?(): Promise<void>;
}

/** The services of the gateway that a provider is given beside its configuration. */
export interface ConnectionServices {
  readonly connectionId: string;
  /** The address of its receipts, whole (contract §13). */
  readonly receiptsUrl: string;
  /** The folder with the library of QR-linked chats (`CHAT_QR_DIR`). */
  readonly chatQrDir: string;
  /** The name of the program, for `User-Agent`: `Heliograph/1.0.0`. */
  readonly userAgent: string;
  /** Stores what the provider reports over a connection of its own. Resolves when it is stored, or never can be; else rejects: it should come again. */
  receive(reports: readonly Report[]): Promise<void>;
  /** Stores what people write over a connection of its own, as `receive` does. */
  hear(messages: readonly Inbound[]): Promise<void>;
  /** Tells that a standing connection (SMPP) is bound, or is not and why. While it is not, nothing is sent by it. */
  onLink(state: LinkState): void;
  /** Tells that a standing connection hears nothing, receipts neither, while it sends, and why. */
  onDeaf(error: string): void;
  /** Sends by the session of the connection, whichever process owns it. */
  bySession(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
}

/** How a standing connection is. */
export interface LinkState {
  readonly isUp: boolean;
  /** Why it is down, without secrets, as a sentence that says what to do; null: it is up. */
  readonly error: string | null;
  /** When it is tried again, by `performance.now()`. Absent: it is up, or is being tried. */
  readonly retriesAtMs?: number;
}

/** The results of a try without a text. */
export const PROBE_RESULTS = ['works', 'refused', 'unreachable', 'unclear'] as const;

/** The result of a try without a text: it `works`; the provider `refused` the gateway; nothing answers; or what answers does not say. */
export interface Probed {
  readonly result: (typeof PROBE_RESULTS)[number];
  /** The result and its mend: sentences of ours, which hold no secret. */
  readonly message: string;
  /** The member of the config that is at fault, where the provider tells it apart; absent: no single one is known. */
  readonly field?: string;
}

type ProbeServices = Pick<ConnectionServices, 'userAgent' | 'chatQrDir'>;

/** The groups of a config, in the order of a form: the provider's place, the credentials, the meaning of answers, and rare settings. */
export const CONFIG_GROUPS = ['where', 'who', 'answers', 'tuning'] as const;

/** A provider of the registry: its facts, its configuration, and how to create it. */
export interface ProviderDefinition<Config> {
  readonly id: string;
  readonly label: string;
  readonly capabilities: Capabilities;
  /** Its rules, from which a page makes its form. Each member has a `title`, those of the first level a `group` (`CONFIG_GROUPS`); a secret has `secret: true`. */
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, services: ConnectionServices): Provider;
  /** Finds out whether a config works, and sends no text. `signal` aborts at the deadline, after which nothing is left open. */
  probe(config: Config, services: ProbeServices, signal: AbortSignal): Promise<Probed>;
}
