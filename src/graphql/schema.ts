/** The schema: the list of its files, and nothing else. No file that defines types imports this one. */
import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './words.ts';
import './accounts.ts';
import './tokens.ts';
import './audit.ts';
import './otp-settings.ts';
import './messaging.ts';
import './otp.ts';
import './otp-lists.ts';
import './logs.ts';
import './billing.ts';
import './keys.ts';
import './doctor.ts';
import './plants.ts';
import './sandbox.ts';
import './webhook-words.ts';
import './webhooks.ts';
import './webhook-deliveries.ts';
import './webhook-feeds.ts';

/** Builds the schema of the gateway. */
export function buildSchema(): GraphQLSchema {
  return builder.toSchema();
}
