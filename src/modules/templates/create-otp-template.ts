/** The verb *create a template for codes*: the provider makes it, and looks at it before it can be used. */
import { z } from 'zod';
import type { ListedTemplate, Probed } from '../../channels/contract.ts';
import { type Ctx, requireOperator } from '../../context.ts';
import { newId } from '../../kernel/ids.ts';
import { intBetween } from '../../kernel/input.ts';
import { recordOf } from '../audit/record-audit.ts';
import type { Connection } from '../connections/connection.entity.ts';
import { CloudTemplate } from './cloud-template.entity.ts';
import { findFace, TEMPLATES_MS } from './find-face.ts';
import { lockConnection } from './sync-templates.ts';
import { announceTemplates } from './template-table.ts';
import { syncTemplatesJob } from './templates.jobs.ts';

/** After how many seconds the provider is asked for the text that it made. */
const TEXT_AFTER_SECONDS = 10;

/** The input of `createOtpTemplate`. */
export const createOtpTemplateInput = z
  .strictObject({
    connectionId: z.string().meta({ description: 'The connection whose business account gets it' }),
    name: z
      .string()
      .regex(/^[a-z0-9_]{1,512}$/, 'must have 1 to 512 small letters, digits or _')
      .meta({ description: 'Its name: 1 to 512 small letters, digits or `_`' }),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be a language like en_US or de')
      .meta({ description: 'Its language in the notation of the provider, like `en_US`' }),
    codeExpirationMinutes: intBetween(1, 90, 'must be a whole number')
      .nullish()
      .meta({ description: 'How long its text says that a code is good, 1 to 90; absent: it does not say' }),
    addSecurityRecommendation: z
      .boolean()
      .nullish()
      .meta({ description: 'Whether its text asks to tell the code to nobody; absent: it does' }),
  })
  .meta({ id: 'CreateOtpTemplateInput', description: 'A template for codes' });

/** The outcome of `createOtpTemplate`. */
export interface TemplateCreation extends Probed {
  /** Null: there is none. */
  readonly template: CloudTemplate | null;
}

/** Makes a template for codes. @throws AppError as `findFace` */
export async function createOtpTemplate(
  ctx: Ctx,
  input: z.infer<typeof createOtpTemplateInput>,
): Promise<TemplateCreation> {
  requireOperator(ctx);
  const { connection, templates } = await findFace(ctx, input.connectionId);
  const { name, language, codeExpirationMinutes = null, addSecurityRecommendation } = input;
  const draft = { name, language, codeExpirationMinutes, hasSecurityAdvice: addSecurityRecommendation ?? true };
  const answer = await templates.createOtp(draft, AbortSignal.timeout(TEMPLATES_MS));
  if ('result' in answer) return { ...answer, template: null };
  const template = await keep(ctx, connection, answer.template);
  await ctx.services.cloudTemplates.refresh();
  return { result: 'works', message: `The template ${name} (${language}) is ${template.status}.`, template };
}

async function keep(ctx: Ctx, connection: Connection, made: ListedTemplate): Promise<CloudTemplate> {
  const { id: connectionId, accountId = null } = connection;
  const { name, language, category, status } = made;
  return ctx.em.transactional(async em => {
    await lockConnection(em, connectionId);
    const values = { ...made, components: [...made.components], connectionId, syncedAt: ctx.clock.now() };
    const known = await em.findOne(CloudTemplate, { connectionId, name, language }, { refresh: true });
    const template = known ? Object.assign(known, values) : em.create(CloudTemplate, { id: newId('tpl'), ...values });
    const details = { connectionId, name, language, category, status };
    await recordOf(em, ctx, { id: template.id, accountId }, 'template.created', details);
    await ctx.services.jobs.enqueue(em, syncTemplatesJob, [{ connectionId }], {
      startAfterSeconds: TEXT_AFTER_SECONDS,
    });
    await announceTemplates(em);
    return template;
  });
}
