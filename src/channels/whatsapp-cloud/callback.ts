/**
 * The callbacks of Meta (webhooks of a WhatsApp business account). One call has many entries, and statuses in any order. People have a number, a
 * business-scoped user id, or both. A member that nobody here knows is passed over, and so is a message or a status without what it needs.
 */
import { z } from 'zod';
import { whatsAppSentence } from '../../kernel/providers/whatsapp-errors.ts';
import { isStorableJson, isStorableText } from '../../kernel/storable.ts';
import type { Acquaintance, News, Report, TemplateNews } from '../contract.ts';
import { dialled, mayBeOtherwise } from '../dialled.ts';
import { jsonOf } from '../http/json.ts';
import { digitsOf } from './digits.ts';
import { type Contacts, inboundOf, knownBy } from './inbound.ts';

/** The most that is kept of an id. */
const ID_MAX = 255;

const storable = z.string().max(ID_MAX).refine(isStorableText);
const id = storable.min(1);
const optionalId = id.nullish().catch(null);
const list = z.array(z.unknown()).catch([]);

const callback = z.object({ entry: list });
const entry = z.object({
  id: optionalId,
  /** Seconds since 1970. */
  time: z.int().min(0).max(99_999_999_999).nullish().catch(null),
  changes: list,
});
const change = z.object({ field: z.string(), value: z.looseObject({}) });
const messagesValue = z.object({
  metadata: z.object({ phone_number_id: id, display_phone_number: z.string().catch('') }),
  contacts: list,
  messages: list,
  statuses: list,
});

const status = z.object({
  id,
  status: z.string(),
  recipient_id: id.transform(dialled).nullish().catch(null),
  recipient_user_id: optionalId,
  biz_opaque_callback_data: optionalId,
  pricing: z.looseObject({}).refine(isStorableJson).nullish().catch(null),
  errors: z.array(z.object({ code: z.int() })).catch([]),
});

const templateStatus = z.object({
  message_template_name: id,
  message_template_language: id,
  event: z.string().regex(/^[A-Z_]{1,64}$/),
  reason: storable.nullish().catch(null),
  other_info: z.object({ title: storable }).nullish().catch(null),
});

/** Meta's statuses. `deleted`, `warning` and what is new say nothing of an attempt. */
const STATUSES: ReadonlyMap<string, Report['status']> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

/** Reads the body of a call that is Meta's, by number. Of what is no callback nothing is read. */
export function newsOf(body: Buffer): News[] {
  const byNumber = Map.groupBy(changesOf(body), ({ businessId, numberId }) => `${businessId} ${numberId}`);
  return [...byNumber.values()].flatMap(all =>
    all.slice(0, 1).map(first => ({
      ...first,
      reports: all.flatMap(({ reports }) => reports),
      messages: all.flatMap(({ messages }) => messages),
      people: all.flatMap(({ people }) => people),
      templates: all.flatMap(({ templates }) => templates),
    })),
  );
}

function changesOf(body: Buffer): News[] {
  return readEach(callback, [jsonOf(body.toString('utf8'))])
    .flatMap(({ entry: entries }) => readEach(entry, entries))
    .flatMap(({ id: businessId = null, time, changes }) =>
      readEach(change, changes).flatMap(({ field, value }) => {
        if (field === 'messages')
          return readEach(messagesValue, [value]).map(messages => numberNews(messages, businessId));
        if (field !== 'message_template_status_update') return [];
        const templates = readEach(templateStatus, [value]).map(told => templateNews(told, time));
        return [{ numberId: null, number: null, businessId, reports: [], messages: [], people: [], templates }];
      }),
    );
}

function numberNews(value: z.output<typeof messagesValue>, businessId: string | null): News {
  const { phone_number_id: numberId, display_phone_number: displayed } = value.metadata;
  const number = digitsOf(displayed);
  const statuses = readEach(status, value.statuses);
  const contacts = knownBy(value.contacts);
  return {
    numberId,
    number,
    businessId,
    reports: statuses.flatMap(reportOf),
    messages: value.messages.flatMap(message => inboundOf(message, number ?? '', contacts) ?? []),
    people: statuses.flatMap(one => acquaintanceOf(one, contacts)),
    templates: [],
  };
}

function reportOf(told: z.output<typeof status>): Report[] {
  const became = STATUSES.get(told.status);
  if (!became) return [];
  const code = became === 'failed' ? told.errors[0]?.code : undefined;
  return [
    {
      providerMessageId: told.id,
      attemptId: told.biz_opaque_callback_data ?? null,
      status: became,
      errorCode: code === undefined ? null : `whatsapp_${code}`,
      errorMessage: code === undefined ? null : whatsAppSentence(code),
      pricing: told.pricing ?? null,
    },
  ];
}

/** The two addresses of one person, where a status and its contact name both. A number that may not be the one that was sent to is an id, too. */
function acquaintanceOf(told: z.output<typeof status>, contacts: Contacts): Acquaintance[] {
  const { id: providerMessageId, recipient_id, recipient_user_id, biz_opaque_callback_data: attemptId = null } = told;
  const known = contacts.get(recipient_id ?? '') ?? contacts.get(recipient_user_id ?? '');
  const number = recipient_id ?? known?.number;
  const userId = recipient_user_id ?? known?.userId ?? (number && mayBeOtherwise(number) ? number : null);
  return number && userId ? [{ attemptId, providerMessageId, number, userId, username: known?.username ?? null }] : [];
}

function templateNews(told: z.output<typeof templateStatus>, time: number | null | undefined): TemplateNews {
  const { message_template_name: name, message_template_language: language, event, reason, other_info } = told;
  // Of a pause the reason is `NONE`, and the title says which one: the second lasts longer, and the third is for good.
  const word = (event === 'PAUSED' && other_info?.title) || reason;
  const toldAt = time == null ? null : new Date(time * 1_000);
  return { name, language, status: event, reason: word && word !== 'NONE' ? word : null, toldAt };
}

/** Those of a list that fit. */
function readEach<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] {
  return values.flatMap(value => schema.safeParse(value).data ?? []);
}
