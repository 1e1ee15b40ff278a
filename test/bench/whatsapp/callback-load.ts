/**
 * `callback-load.ts <plan as JSON>`: calls as Meta does at a given rate, with three statuses in each call, and prints how they were answered
 * as JSON. A message is told as sent, some calls later as delivered, and as many later as read.
 */
import { runSql } from '../../support/databases/postgres.ts';
import { DEFAULTS, GRAPH_NUMBER, HELLO_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import type { ReportedStatus } from '../../support/whatsapp/options.ts';
import { callOf, hubSignature, type SentMessage, statusChange } from '../../support/whatsapp/payloads.ts';
import { pacedAsks } from '../load/paced-asks.ts';
import type { CallbackPlan } from './callbacks.ts';

const STATUSES: readonly ReportedStatus['status'][] = ['sent', 'delivered', 'read'];

const plan: CallbackPlan = JSON.parse(process.argv[2] ?? '');
const { origin, pathname } = new URL(plan.callbackUrl);
const rows = await runSql(
  plan.databaseUrl,
  `select 'att_' || replace(id::text, '-', '') as id, provider_message_id as wamid, recipient as "to" from attempts
   order by attempts.id offset ${plan.from} limit ${plan.rate * plan.seconds}`,
);
const messages = rows.map((row): SentMessage => {
  const to = String(row.to);
  return {
    wamid: String(row.wamid),
    number: GRAPH_NUMBER,
    version: 26,
    to,
    user: plan.ofNewPeople ? { number: to, userId: `US.${to}` } : null,
    body: {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to,
      type: 'template',
      template: { name: HELLO_TEMPLATE.name, language: { code: HELLO_TEMPLATE.language } },
      biz_opaque_callback_data: String(row.id),
    },
    template: HELLO_TEMPLATE,
    atMs: Date.now(),
    told: [],
  };
});
let count = 0;

/** The body of the next call. */
function nextCall(): string {
  const serial = count++;
  const changes = STATUSES.flatMap((status, index) => {
    const message = messages[serial - index * plan.lag];
    return message ? [statusChange(message, { status }, Date.now())] : [];
  });
  return JSON.stringify(callOf({ id: GRAPH_NUMBER.businessAccountId, changes }));
}

const result = await pacedAsks(origin, plan, connection => {
  const body = nextCall();
  return connection.post(pathname, body, `X-Hub-Signature-256: ${hubSignature(DEFAULTS.appSecret, body)}\r\n`);
});
process.stdout.write(JSON.stringify(result));
