/** The schema: the list of its files, and nothing else. No file that defines types imports this one. */
import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './enums.ts';
import './types/accounts.ts';
import './types/tokens.ts';
import './types/people/sign-in.ts';
import './types/people/users.ts';
import './types/people/second-factor.ts';
import './types/people/oidc.ts';
import './types/people/reset.ts';
import './types/alerts/alerts.ts';
import './types/audit.ts';
import './types/requests.ts';
import './types/otp/otp-settings.ts';
import './types/messaging.ts';
import './types/timeline/send-preview.ts';
import './types/otp/otp.ts';
import './types/otp/otp-lists.ts';
import './types/logs.ts';
import './types/inbound/inbound.ts';
import './types/inbound/suppressions.ts';
import './types/inbound/people.ts';
import './types/inbound/recipients.ts';
import './types/inbound/auto-replies.ts';
import './types/figures/account-figures.ts';
import './types/figures/overview.ts';
import './types/billing.ts';
import './types/connections/connections.ts';
import './types/connections/quotas.ts';
import './types/connections/sessions.ts';
import './types/connections/readings.ts';
import './types/templates/templates.ts';
import './types/keys.ts';
import './types/doctor.ts';
import './types/plants.ts';
import './types/sandbox.ts';
import './types/sender-rules.ts';
import './types/webhooks/webhook-enums.ts';
import './types/webhooks/webhooks.ts';
import './types/webhooks/webhook-deliveries.ts';
import './types/webhooks/webhook-feeds.ts';

/** Builds the schema of the gateway. */
export function buildSchema(): GraphQLSchema {
  return builder.toSchema();
}
