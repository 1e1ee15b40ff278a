/** Errors as the Graph API words them. */
import { randomBytes } from 'node:crypto';
import { json, type Reply } from '../providers/http-peer.ts';

interface Fault {
  readonly title: string;
  /** The HTTP status of an answer. */
  readonly http: number;
  readonly details: string;
}

/**
 * Meta's table, as far as a gateway meets it. Of the rate limits one edition says 429 and another one 400: `httpStatuses` of the options gives the
 * other. A client is to go by the code.
 */
export const FAULTS: Readonly<Record<number, Fault>> = {
  0: { title: 'AuthException', http: 401, details: 'We were unable to authenticate the app user.' },
  1: { title: 'API Unknown', http: 400, details: 'Invalid request or possible server error.' },
  2: { title: 'API Service', http: 503, details: 'Temporary due to downtime or due to being overloaded.' },
  4: { title: 'Application request limit reached', http: 429, details: 'The app has reached its rate limit.' },
  10: { title: 'Application does not have permission for this action', http: 403, details: 'Permission is missing.' },
  100: { title: 'Invalid parameter', http: 400, details: 'The request included unsupported or misspelled parameters.' },
  190: {
    title: 'Invalid OAuth access token - Cannot parse access token',
    http: 401,
    details: 'The token is not valid.',
  },
  200: { title: 'API Permission', http: 403, details: 'Permission is missing or was removed.' },
  368: { title: 'Temporarily blocked for policies violations', http: 403, details: 'The account is restricted.' },
  2500: { title: 'Unknown path components', http: 400, details: 'There is nothing at this path.' },
  2635: { title: 'You are calling a deprecated version of the API', http: 400, details: 'Please update the version.' },
  80007: { title: 'Rate limit issues', http: 429, details: 'The business account has reached its rate limit.' },
  130429: { title: 'Rate limit hit', http: 429, details: 'Message throughput has been reached.' },
  130472: { title: "User's number is part of an experiment", http: 400, details: 'The message was not sent.' },
  130497: { title: 'Business account is restricted from messaging users in this country', http: 403, details: 'No.' },
  131000: { title: 'Something went wrong', http: 500, details: 'Message failed to send due to an unknown error.' },
  131005: { title: 'Access denied', http: 403, details: 'Permission is missing or was removed.' },
  131008: { title: 'Required parameter is missing', http: 400, details: 'A parameter is missing.' },
  131009: { title: 'Parameter value is not valid', http: 400, details: 'A value is not valid.' },
  131016: { title: 'Service unavailable', http: 503, details: 'A service is temporarily unavailable.' },
  131021: { title: 'Recipient cannot be sender', http: 400, details: 'Sender and recipient are the same.' },
  131026: { title: 'Message undeliverable', http: 400, details: 'Unable to deliver the message.' },
  131031: { title: 'Account has been locked', http: 403, details: 'The business account is restricted or disabled.' },
  131042: { title: 'Business eligibility payment issue', http: 400, details: 'The payment method has an error.' },
  131045: { title: 'Incorrect certificate', http: 500, details: 'The phone number is not registered rightly.' },
  131047: {
    title: 'Re-engagement message',
    http: 400,
    details: 'More than 24 hours have passed since the last reply.',
  },
  131048: { title: 'Spam rate limit hit', http: 429, details: 'Too many earlier messages were blocked or flagged.' },
  131049: {
    title: 'This message was not delivered to maintain healthy ecosystem engagement.',
    http: 400,
    details: 'The message was held back.',
  },
  131051: { title: 'Unsupported message type', http: 400, details: 'Message type is currently not supported.' },
  131052: { title: 'Media download error', http: 500, details: 'The media could not be downloaded.' },
  131053: { title: 'Media upload error', http: 500, details: 'The media could not be uploaded.' },
  131056: {
    title: '(Business Account, Consumer Account) pair rate limit hit',
    http: 429,
    details: 'Too many messages from this phone number to the same phone number in a short period of time.',
  },
  131062: {
    title: 'Business-scoped User ID (BSUID) recipients are not supported for this message.',
    http: 400,
    details: 'Authentication templates need a phone number.',
  },
  132000: { title: 'Number of parameters does not match the expected number of params', http: 400, details: '' },
  132001: { title: 'Template name does not exist in the translation', http: 404, details: '' },
  132005: { title: 'Translated text too long', http: 400, details: 'The text with its parameters is too long.' },
  132007: { title: 'Template format character policy violated', http: 400, details: 'The content violates a policy.' },
  132012: { title: 'Parameter format does not match format in the created template', http: 400, details: '' },
  132015: { title: 'Template is paused', http: 400, details: 'The template is paused due to low quality.' },
  132016: { title: 'Template is disabled', http: 400, details: 'The template was paused too often.' },
  132018: { title: 'There are issues with the parameters in your template', http: 400, details: '' },
  133010: { title: 'Account not registered', http: 400, details: 'The phone number is not registered.' },
};

/** Meta's page about its codes. */
const HREF = 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes';

/** Thrown by whatever finds a fault in a request. */
export class GraphFault extends Error {
  readonly code: number;
  readonly details: string;
  /** Words in place of the title: those of code 100 say which parameter is meant. */
  readonly words: string | undefined;
  /** Meta's own division of code 100. */
  readonly subcode: number | undefined;

  constructor(code: number, details?: string, words?: string, subcode?: number) {
    super(`${code}`);
    this.code = code;
    this.details = details ?? faultOf(code).details;
    this.words = words;
    this.subcode = subcode;
  }
}

/** A parameter that the Graph API itself refuses, before WhatsApp sees it. */
export function invalid(words: string): GraphFault {
  return new GraphFault(100, words, words);
}

/** The answer to a request with a fault. */
export function errorReply({ code, details, words, subcode }: GraphFault, http: number = faultOf(code).http): Reply {
  const isOfGraph = code === 190 || code === 0;
  const message = `${isOfGraph ? '' : `(#${code}) `}${words ?? faultOf(code).title}`;
  const data = { messaging_product: 'whatsapp', details };
  const fbtrace_id = `A${randomBytes(16).toString('base64url')}`;
  const named = { code, ...(subcode !== undefined && { error_subcode: subcode }) };
  const type = subcode === undefined ? 'OAuthException' : 'GraphMethodException';
  const error = { message, type, ...named, ...(isOfGraph ? {} : { error_data: data }), fbtrace_id };
  return json(http, { error });
}

/** The error of a status or of a message, as a callback tells it. */
export function toldError(code: number) {
  const { title, details } = faultOf(code);
  return { code, title, message: title, error_data: { details: details || title }, href: HREF };
}

function faultOf(code: number): Fault {
  return FAULTS[code] ?? { title: 'Unknown error', http: 400, details: 'An error that no table has.' };
}
