/** Connections: each is one configured provider for one channel, of one account or shared by all (contract §12). */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS, type Purpose } from '../../kernel/channel.ts';
import { ownerIn } from '../accounts/account.entity.ts';

const ConnectionSchema = defineEntity({
  name: 'Connection',
  tableName: 'connections',
  properties: {
    id: p.type(new IdType('con')).primary(),
    /** Null: shared by all accounts. */
    accountId: () => ownerIn('connections').nullable().deleteRule('no action'),
    provider: p.text(),
    channel: p.enum([...CHANNELS]),
    name: p.text(),
    /** The configuration and the token of its receipts, as JSON, sealed under the key of `configKeyId`. */
    config: p.text(),
    configKeyId: p.string().length(8),
    priority: p.integer().default(100),
    weight: p.integer().default(1).check('weight > 0'),
    /** ISO 3166-1 alpha-2; null: all. */
    countries: p.array<string>().nullable(),
    purposes: p.array<Purpose>().nullable(),
    isPaused: p.boolean().default(false),
    /** Its own number in digits, as the provider told it; null: it told none. */
    number: p.text().nullable(),
    /** When it was removed: what is in flight ends, and its receipts still come. */
    removedAt: p.datetime().nullable(),
    /** How it is, as the process said that saw it change last. */
    health: p.enum(['unknown', 'up', 'down']).default('unknown'),
    /** Why it is down. */
    healthError: p.text().nullable(),
    /** Since when it is so. */
    healthSince: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [{ name: 'connections_account_id_index', properties: ['accountId'] }],
});

/** One configured provider for one channel. */
export class Connection extends ConnectionSchema.class {}
ConnectionSchema.setClass(Connection);
