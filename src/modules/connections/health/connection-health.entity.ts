/** The health of connections, by country, as counted last. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

/** Figures of the attempts of a time. Those of a busy connection are a sample. */
export interface HealthFigures {
  /** Those that the provider was asked for and could have taken. */
  readonly attempts: number;
  readonly taken: number;
  readonly refused: number;
  /** Those that the provider may have: its answer never came. */
  readonly unknown: number;
  /** Those of the taken ones whose receipts are due. */
  readonly due: number;
  /** Those of the due ones that were delivered. */
  readonly delivered: number;
  /** The median time of an answer, in milliseconds; null: none came. */
  readonly ackMs: number | null;
  /** The median time from there to the receipt of a delivery, in milliseconds; null: none came. */
  readonly receiptMs: number | null;
}

const ConnectionHealthSchema = defineEntity({
  name: 'ConnectionHealth',
  tableName: 'connection_health',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** ISO 3166-1 alpha-2; `*`: all. */
    country: p.text().primary(),
    /** Why it is sick, a sentence; null: it is well. */
    reason: p.text().nullable(),
    hour: p.json<HealthFigures>(),
    day: p.json<HealthFigures>(),
    /** The same for all rows of one count. */
    countedAt: p.datetime(),
  },
});

/** The health of one connection for one country. */
export class ConnectionHealth extends ConnectionHealthSchema.class {}
ConnectionHealthSchema.setClass(ConnectionHealth);
