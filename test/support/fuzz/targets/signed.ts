/** Receipts of the providers that sign theirs. */
import { createHash, createHmac } from 'node:crypto';
import type { Report, ReportRequest } from '../../../../src/channels/contract.ts';
import { twilioConfig } from '../../../../src/channels/twilio/config.ts';
import { twilio } from '../../../../src/channels/twilio/provider.ts';
import { vonageConfig } from '../../../../src/channels/vonage/config.ts';
import { vonage } from '../../../../src/channels/vonage/provider.ts';
import { hold, holdInbound, holdReport } from '../check.ts';
import type { FuzzTarget } from '../search.ts';
import { SERVICES } from './shared.ts';

const TOKEN = 'a-token-of-twilio';
const SECRET = 'a-signature-secret-of-vonage-1';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const provider = {
  twilio: twilio.create(twilioConfig.parse({ accountSid: `AC${'0'.repeat(32)}`, authToken: TOKEN }), SERVICES),
  vonage: vonage.create(
    vonageConfig.parse({ apiKey: 'abcd1234', apiSecret: 'a-secret', signatureSecret: SECRET }),
    SERVICES,
  ),
};

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Signed over the address alone, which holds the hash of the body: the way of Twilio that sorts no parameters. */
function byTwilio(body: Buffer): ReportRequest {
  const url = `${SERVICES.receiptsUrl}?attempt=att_1&bodySHA256=${sha256(body)}`;
  const signature = createHmac('sha1', TOKEN).update(url).digest('base64');
  return { method: 'POST', url, headers: { ...FORM, 'x-twilio-signature': signature }, body };
}

/** Signed by a token that holds the hash of the body. */
function byVonage(body: Buffer): ReportRequest {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.floor(Date.now() / 1_000);
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat, payload_hash: sha256(body) })}`;
  const token = `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
  const type = body[0] === 0x7b ? { 'content-type': 'application/json' } : FORM;
  return { method: 'POST', url: SERVICES.receiptsUrl, headers: { ...type, authorization: `Bearer ${token}` }, body };
}

/** A signed receipt is read and in bounds; with one bit changed, or without its signature, it is forged. */
function holdSigned(name: keyof typeof provider, request: ReportRequest): void {
  const ask = (asked: ReportRequest): readonly Report[] | 'forged' => provider[name].reportsOf?.(asked) ?? 'forged';
  const reports = ask(request);
  hold(reports !== 'forged', 'forged, though it is signed');
  hold(reports.length <= 1, `${reports.length} reports of one receipt`);
  for (const report of reports) {
    // Twilio's codes may be missing.
    if (name === 'vonage' || report.errorCode !== null) holdReport(report, { errorCode: 32 });
    hold(report.providerMessageId !== '', 'an empty id');
  }
  const { body } = request;
  const other = body.length === 0 ? Buffer.of(1) : Buffer.from(body);
  if (body.length > 0) other[body.length >> 1] = (other[body.length >> 1] ?? 0) ^ 1;
  hold(ask({ ...request, body: other }) === 'forged', 'not forged, with another body');
  hold(ask({ ...request, headers: FORM }) === 'forged', 'not forged, without a signature');
}

/** The body of a receipt, which is signed. */
export const twilioReceipt: FuzzTarget = {
  name: 'twilio-receipt',
  tokens: ['MessageSid=', '&MessageStatus=', '&ErrorCode=', 'delivered', 'undelivered', 'failed', '30007', '&', '%00'],
  seeds: ['MessageSid=SM1&MessageStatus=delivered', 'MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30005'],
  run: input => holdSigned('twilio', byTwilio(input)),
};

/** The same. */
export const vonageReceipt: FuzzTarget = {
  name: 'vonage-receipt',
  tokens: [
    'messageId=',
    '&status=',
    '&err-code=',
    '&client-ref=',
    'delivered',
    'failed',
    'expired',
    '{"messageId":"',
    '"status":',
    '"sig"',
    '&sig=',
  ],
  seeds: [
    'messageId=0A&status=delivered&client-ref=att_1',
    'messageId=0A&status=failed&err-code=6',
    '{"messageId":"0A","status":"expired","err-code":1}',
  ],
  run: input => holdSigned('vonage', byVonage(input)),
};

/** A signed message of a person is read; without its signature it is forged. */
function holdInboundOf(name: keyof typeof provider, request: ReportRequest): void {
  const messages = provider[name].inboundOf?.(request) ?? 'forged';
  hold(messages !== 'forged' && messages !== 'unreadable', 'refused, though it is signed');
  hold(messages.length <= 1, `${messages.length} messages of one call`);
  for (const message of messages) {
    holdInbound(message);
    hold(message.from !== '' && message.to !== '', 'nobody wrote to anybody');
  }
  const unsigned = provider[name].inboundOf?.({ ...request, headers: FORM });
  hold(unsigned === 'forged', 'not forged, without a signature');
}

/** A message of a person, in a body that is signed. */
export const twilioInbound: FuzzTarget = {
  name: 'twilio-inbound',
  tokens: ['MessageSid=', '&From=', '&To=', '&Body=', '&NumMedia=', '&OptOutType=', 'STOP', '%00', '%ED%A0%80', '+'],
  seeds: [
    'MessageSid=SM1&From=%2B12025550100&To=%2B12025550199&Body=Hello',
    'MessageSid=SM1&From=%2B12025550100&To=1&NumMedia=1&MediaContentType0=image%2Fpng',
    'MessageSid=SM1&From=2&To=1&Body=stop&OptOutType=STOP',
  ],
  run: input => holdInboundOf('twilio', byTwilio(input)),
};

/** The same. */
export const vonageInbound: FuzzTarget = {
  name: 'vonage-inbound',
  tokens: [
    'messageId=',
    '&msisdn=',
    '&to=',
    '&text=',
    '&data=',
    '&concat=true',
    '&concat-ref=',
    '&concat-total=',
    '&concat-part=',
    '%00',
    '{"',
  ],
  seeds: [
    'messageId=0A&msisdn=12025550100&to=12025550199&text=Hello',
    'messageId=0A&msisdn=12025550100&to=1&text=a&concat=true&concat-ref=7&concat-total=2&concat-part=1',
    '{"messageId":"0A","msisdn":"12025550100","to":"1","data":"00ff"}',
  ],
  run: input => holdInboundOf('vonage', byVonage(input)),
};
