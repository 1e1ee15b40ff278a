/** The jobs of sign-ins. */
import { definePurge } from '../../../db/statements/purge.sql.ts';
import { purgeJob } from '../../../queue/purge-job.ts';
import { SESSION_IS_OVER } from './session.sql.ts';

const purgeSessions = definePurge('dashboard_sessions', 'id', SESSION_IS_OVER);
const purgeInvitations = definePurge('dashboard_invitations', 'id', `expires_at < now() - interval '30 days'`);
const purgeGuards = definePurge('sign_in_guards', 'key', 'over_at < now()');

/** Forgets sessions and failed sign-ins that are over, and invitations a month after their end. */
export const purgeSignInsJob = purgeJob('purge-sign-ins', '17 * * * *', purgeSessions, purgeInvitations, purgeGuards);
