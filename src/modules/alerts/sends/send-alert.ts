/** The job *send alert*: hands one alert to one address, and tries again where that may help. */
import { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { fromUuid } from '../../../kernel/ids.ts';
import { MailError } from '../../../mail/mail.ts';
import { defineJob } from '../../../queue/kit.ts';
import { NOTE_SEND, READ_SEND } from '../judge-alerts.sql.ts';
import { type AddressedAlert, letterOf, slackTextOf } from './alert-text.ts';
import { openSlackUrl } from './slack-url.ts';

/** With the delays between them an hour and a half. */
const TRIES_MAX = 10;

/** The longest that a POST takes. */
const POST_MS = 15_000;

const sendAlertSchema = z.object({ sendId: z.string() });

/** Sends an alert by one way of its rule. The row has the result, so that the job may run twice. */
export const sendAlertJob = defineJob({
  name: 'send-alert',
  schema: sendAlertSchema,
  queue: {
    retryLimit: TRIES_MAX,
    retryDelay: 10,
    retryBackoff: true,
    expireInSeconds: 120,
    deleteAfterSeconds: 86_400,
  },
  run: sendAlert,
});

/** An alert with the way that it goes. */
export interface Send
  extends AddressedAlert,
    Pick<Answer<typeof READ_SEND>, 'way' | 'rule' | 'slackUrl' | 'slackKeyId'> {}

/** Why a try failed, for people. */
interface Fault {
  readonly message: string;
  /** Whether it would fail again. */
  readonly isFinal: boolean;
}

async function sendAlert(ctx: Ctx, { sendId }: z.infer<typeof sendAlertSchema>): Promise<void> {
  const sql = ctx.services.database.sql();
  const send = await READ_SEND.first(sql, { send: sendId });
  if (!send) return;
  const fault = await handOver(ctx, send);
  const isOver = fault === null || fault.isFinal || send.tries + 1 >= TRIES_MAX;
  const status = isOver ? (fault === null ? 'sent' : 'failed') : 'pending';
  await NOTE_SEND.run(sql, { send: sendId, status, error: fault?.message ?? null });
  // The queue tries again.
  if (!isOver) throw new Error(fault?.message);
}

/** Hands an alert over, once; null: it was taken. */
export async function handOver(ctx: Ctx, send: Send): Promise<Fault | null> {
  return send.way === 'mail' ? sendMail(ctx, send) : postToSlack(ctx, send);
}

async function sendMail({ services: { mail, home } }: Ctx, send: Send): Promise<Fault | null> {
  try {
    await mail.send(letterOf(send, home.publicUrl()));
    return null;
  } catch (error) {
    if (error instanceof MailError) return error;
    throw error;
  }
}

async function postToSlack({ services: { keys, outbound, home } }: Ctx, send: Send): Promise<Fault | null> {
  const { slackUrl, slackKeyId } = send;
  if (slackUrl === null || slackKeyId === null) return { message: 'The rule has no such URL any more.', isFinal: true };
  const url = openSlackUrl(keys, { id: fromUuid('alr', send.rule), slackUrl, slackKeyId });
  if (url === null) return { message: 'The key of the URL is not known any more. Set the URL again.', isFinal: true };
  const result = await outbound.post({
    url,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ text: slackTextOf(send, home.publicUrl()) })),
    deadlineMs: POST_MS,
  });
  if (result.kind === 'failed') return { message: result.message, isFinal: result.code === 'address_refused' };
  if (result.status >= 200 && result.status <= 299) return null;
  const isFinal = result.status >= 300 && result.status <= 499 && ![408, 425, 429].includes(result.status);
  return { message: `${send.target} answered ${result.status}, not 2xx.`, isFinal };
}
