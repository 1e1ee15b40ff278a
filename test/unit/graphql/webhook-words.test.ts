import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { WEBHOOK_EVENTS } from '../../../src/modules/webhooks/events/webhook-events.ts';

const faultsOf = (events: string) =>
  validate(buildSchema(), parse(`subscription { webhookEventAdded(events: ${events}) { id } }`));

test.each(['"sms.gone"', 'SMS_GONE', '5', 'null', '{name: "sms.sent"}'])(
  'the literal %s is refused where it stands',
  event => {
    const [fault] = faultsOf(`[SMS_SENT, ${event}]`);
    expect(fault?.locations).toEqual([{ line: 1, column: expect.any(Number) }]);
  },
);

test('a literal that is no event is told with its type and all that there are', () => {
  expect(faultsOf('["sms.gone"]').map(({ message }) => message)).toContain(
    `WebhookEventName must be one of ${WEBHOOK_EVENTS.join(', ')}.`,
  );
});

test.each(WEBHOOK_EVENTS)('%s is taken as text and as an enum', name => {
  expect(faultsOf(`["${name}", ${name.replace('.', '_').toUpperCase()}]`)).toEqual([]);
});
