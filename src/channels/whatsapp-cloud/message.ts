/** A message as Meta takes it (Graph API, `POST /<phone number id>/messages`). */
import type { SendRequest } from '../contract.ts';

const NUMBER = /^[0-9]+$/;

/** The body of the request. A recipient that is no number is a business-scoped user id, which has a field of its own. */
export function bodyOf({ attemptId, to, text, template }: SendRequest): string {
  const content = template
    ? {
        type: 'template',
        template: {
          name: template.name,
          language: { code: template.language },
          ...(template.components && { components: template.components }),
        },
      }
    : { type: 'text', text: { body: text, preview_url: false } };
  return JSON.stringify({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(NUMBER.test(to) ? { to } : { recipient: to }),
    ...content,
    // Statuses repeat it: by it an attempt is known whose answer was lost.
    biz_opaque_callback_data: attemptId,
  });
}
