import { expect, test } from 'vitest';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';

const on = setUpApp({ mayTell: /127\.0\.0\.1/g });
const customer = setUpCustomer(on);

test.each(['http://127.0.0.1/hook', 'https://example.com:3000/hook'])(
  'an endpoint at %s is refused with both ways out',
  async url => {
    const query = 'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    const variables = { input: { url, events: ['message.sent'] } };
    const { errors } = await on.graphql(query, { token: customer.tokens.management, variables });
    const [fault] = errors?.[0]?.extensions.errors ?? [];
    expect(fault?.field).toBe('url');
    expect(fault?.message).toMatch(
      /^must be a public http\(s\) address.*: use npx heliograph webhooks listen, or have WEBHOOK_ALLOWED_NETWORKS name it$/,
    );
    expect(errors?.[0]?.message).toBe(`url: ${fault?.message}`);
  },
);
