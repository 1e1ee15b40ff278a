/** The statements that fill in what receipts tell of attempts beside a status. */
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';
import { keptId } from './late-attempts.sql.ts';

/** Fills in the provider's ids of attempts whose outcome is unknown: receipts that follow may name nothing else. Of one that failed an id would say that it was taken. */
export const FILL_IDS = statement('fill ids', {
  takes: { told: records('id uuid, provider_message_id text') },
  sql: p => `
  with told as materialized (
    select distinct on (id) * from ${p.told('x')} order by id
  )
  update attempts a set provider_message_id = ${keptId('r.provider_message_id')} from told r where a.id = r.id and a.status = 'unknown' and a.provider_message_id is null`,
});

/** Fills in the prices of attempts that have none. */
export const FILL_PRICES = statement('fill prices', {
  takes: { priced: records('id uuid, pricing json') },
  sql: p => `
  with priced as materialized (
    select * from ${p.priced('x')} order by id
  )
  update attempts a set pricing = r.pricing::jsonb from priced r where a.id = r.id and a.pricing is null`,
});
