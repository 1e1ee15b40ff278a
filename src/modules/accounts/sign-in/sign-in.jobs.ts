/** The jobs of sign-ins. */
import type { Ctx } from '../../../context.ts';
import { definePurge } from '../../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../../queue/kit.ts';
import { SESSION_IS_OVER } from './session.sql.ts';

const purgeSessions = definePurge('dashboard_sessions', 'id', SESSION_IS_OVER);
const purgeInvitations = definePurge('dashboard_invitations', 'id', `expires_at < now() - interval '30 days'`);
const purgeGuards = definePurge('sign_in_guards', 'key', 'over_at < now()');

/** Forgets sessions and failed sign-ins that are over, and invitations a month after their end. */
export const purgeSignInsJob = defineRecurring({
  name: 'purge-sign-ins',
  cron: '17 * * * *',
  run: async (ctx: Ctx) => {
    const sql = ctx.services.database.sql();
    for (const purge of [purgeSessions, purgeInvitations, purgeGuards]) await purge(sql);
  },
});
