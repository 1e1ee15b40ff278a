/** The faults of settings that are each right, and wrong together. */
import type { ConfigFault } from './config-error.ts';
import { MAKE_SECRET_KEY, type Variables } from './settings.ts';

/** Without one of these nobody signs in by OIDC. */
const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES', 'OIDC_ACCOUNT'] as const;

/** Without one of these the hook of Supabase sends nothing. */
const HOOK = ['SUPABASE_HOOK_SECRET', 'SUPABASE_HOOK_TOKEN'] as const;

/** Rules on two variables. They are outside the schema, since zod skips such rules when one variable is faulty. @param given the variables that are set */
export function findFaultsBetween(given: Variables): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const add = (variable: string, message: string): void => void faults.push({ variable, message });
  if (given.NODE_ENV === 'production' && given.SECRET_KEY === undefined)
    add('SECRET_KEY', `SECRET_KEY is not set, and NODE_ENV=production needs it; ${MAKE_SECRET_KEY}`);
  if ((given.ROLE === 'api' || given.ROLE === 'worker') && given.DATABASE_URL === undefined)
    add(
      'ROLE',
      `ROLE is "${given.ROLE}", but the embedded database belongs to one process; set DATABASE_URL, or set ROLE to all.`,
    );
  if (Number(given.PROCESSES) > 1 && given.DATABASE_URL === undefined)
    add(
      'PROCESSES',
      `PROCESSES is ${given.PROCESSES}, but the embedded database belongs to one process; set DATABASE_URL, or set PROCESSES to 1.`,
    );
  for (const variable of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
    if (given[variable] !== undefined && given.DATABASE_URL === undefined)
      add(
        variable,
        `${variable} is set, but DATABASE_URL is not; set DATABASE_URL to the address for all else, or leave ${variable} out.`,
      );
  if ((given.SMTP_URL === undefined) !== (given.MAIL_FROM === undefined)) {
    const [set, missing] = given.MAIL_FROM === undefined ? ['SMTP_URL', 'MAIL_FROM'] : ['MAIL_FROM', 'SMTP_URL'];
    add(missing, `${missing} is not set, and ${set} is; set both to send mail, or neither.`);
  }
  const hasHook = given.DOORS?.split(',').some(name => name.trim() === 'supabase');
  for (const variable of hasHook ? HOOK.filter(name => given[name] === undefined) : [])
    add(variable, `${variable} is not set, and the door supabase of DOORS needs it; set it, or leave supabase out.`);
  const missing = OIDC.filter(name => given[name] === undefined);
  const [first] = missing;
  const are = missing.length === 1 ? 'is' : 'are';
  if (first && missing.length < OIDC.length)
    add(first, `${missing.join(', ')} ${are} not set; set all of ${OIDC.join(', ')} to sign in by OIDC, or none.`);
  return faults;
}
