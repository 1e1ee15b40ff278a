/** Options of a fake Graph API: the numbers that it serves, their templates, and the people on WhatsApp. */

/** A business number. */
export interface GraphNumber {
  readonly phoneNumberId: string;
  /** In digits. */
  readonly displayNumber: string;
  readonly businessAccountId: string;
  /** The business portfolio that owns the account; absent: the token may not know. */
  readonly portfolioId?: string;
  readonly accessToken: string;
  /** More fields that `GET /{version}/{phoneNumberId}` may be asked for, by their names. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A person on WhatsApp. */
export interface GraphUser {
  /** In digits; null: the person shows no number, and is reached by the user id alone. */
  readonly number: string | null;
  /** The business-scoped user id. */
  readonly userId: string;
  /** Absent: the person has no user name. */
  readonly username?: string;
  /** The name of the profile. */
  readonly name?: string;
}

/** The purpose of a template. */
export type TemplateCategory = 'AUTHENTICATION' | 'MARKETING' | 'UTILITY';

/** How Meta's review stands. */
export type TemplateStatus = 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED';

/** A button of a template. */
export interface TemplateButton {
  /** `URL`, `QUICK_REPLY`, `PHONE_NUMBER`, `COPY_CODE` or `OTP`. */
  readonly type: string;
  readonly text?: string | undefined;
  readonly url?: string | undefined;
  readonly otp_type?: string | undefined;
  readonly [more: string]: unknown;
}

/** A part of a template, as Meta lists it. */
export interface TemplatePart {
  readonly type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS';
  /** Of a header: `TEXT`, `IMAGE`, `VIDEO` or `DOCUMENT`. */
  readonly format?: string | undefined;
  /** With a placeholder for each parameter: `{{1}}`, or `{{name}}`. */
  readonly text?: string | undefined;
  readonly buttons?: readonly TemplateButton[] | undefined;
  readonly [more: string]: unknown;
}

/** A template of a business account. */
export interface GraphTemplate {
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
  readonly status: TemplateStatus;
  readonly components: readonly TemplatePart[];
  /** Why it was refused. */
  readonly rejectedReason?: string;
}

/** How many messages are taken. Messages from people count as well. */
export interface GraphRates {
  /** So many messages of a number within so many milliseconds. */
  readonly number?: { readonly count: number; readonly perMs: number };
  /** One message of a number to the same person in so many milliseconds. */
  readonly pairMs?: number;
}

/** Meta's own rates: 80 messages a second of a number, and one in six seconds to the same person. */
export const META_RATES = { number: { count: 80, perMs: 1_000 }, pairMs: 6_000 } as const satisfies GraphRates;

/** Meta's rates so many times as fast: twice as fast lets the same messages through in half of the time. */
export function fasterRates(times: number): Required<GraphRates> {
  const { number, pairMs } = META_RATES;
  return { number: { count: number.count, perMs: number.perMs / times }, pairMs: pairMs / times };
}

/** A status that is reported after a message was taken. */
export interface ReportedStatus {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  /** The error of one that failed. */
  readonly code?: number;
  /** The pricing that is told, merged over the usual object. Null: none is told. */
  readonly pricing?: Readonly<Record<string, unknown>> | null;
}

/** How a fake is made. An absent option is as in `DEFAULTS` of `defaults.ts`. */
export interface GraphOptions {
  readonly numbers?: readonly GraphNumber[];
  /** Keys the signatures of callbacks. */
  readonly appSecret?: string;
  /** The token with which Meta proves itself to the address of callbacks. */
  readonly verifyToken?: string;
  /** The versions that are served: `v26.0`. */
  readonly versions?: readonly string[];
  readonly rates?: GraphRates;
  /** The time in milliseconds since 1970. */
  readonly clock?: () => number;
  readonly templates?: readonly GraphTemplate[];
  /** Everybody on WhatsApp; absent: every number is, and has the user id of `userIdOf`. */
  readonly users?: readonly GraphUser[];
  /** The time of the last message of a person, by number or user id, in milliseconds since 1970. `open`: everybody has just written. */
  readonly windows?: 'open' | Readonly<Record<string, number>>;
  /** Whether 131026 and 131047 come as Meta usually tells them: taken first, then reported as failed. False: in the answer. */
  readonly isLate?: boolean;
  /** Statuses that are reported after each message that was taken, once there is an address of callbacks. */
  readonly statuses?: readonly ReportedStatus[];
  /** Other HTTP statuses of errors, by code. */
  readonly httpStatuses?: Readonly<Record<number, number>>;
  /** How long a slow recipient takes to answer. */
  readonly slowMs?: number;
}

/** The user id of a number, where no user of the options says another. */
export function userIdOf(number: string): string {
  return `US.${BigInt(number) * 7_919n}`;
}
