/** The verb *tell late parts*: a text whose parts have waited for 10 minutes is told as it is, once (contract §15). */
import type { Ctx } from '../../../context.ts';
import type { InboundRow } from '../inbound-row.ts';
import { noteInbound, storeInbound } from '../receive-inbound.ts';
import { TAKE_LATE } from './parts.sql.ts';
import { joined } from './parts.ts';

/** How many texts are one commit. */
const CHUNK_SIZE = 200;

/** Tells the texts that are due by the database's clock, and answers how many. A process that dies leaves its texts to the next one. */
export async function tellLateParts(ctx: Ctx): Promise<number> {
  const { database } = ctx.services;
  for (let total = 0; ; ) {
    const taken = await database.prepared.transaction(async sql => {
      const rows: InboundRow[] = (await TAKE_LATE.run(sql, { limit: CHUNK_SIZE })).map(joined);
      const results = await storeInbound(sql, ctx.services, rows);
      return rows.map(({ provider }, index) => ({ provider, told: results[index] }));
    });
    for (const { provider, told } of taken) if (told) noteInbound(ctx, provider, [told]);
    total += taken.length;
    if (taken.length < CHUNK_SIZE) return total;
  }
}
