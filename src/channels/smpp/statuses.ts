/** The meaning of an SMSC's `command_status` for an attempt (SMPP 3.4 §5.1.3, and 5.0 §4.7.6 for those above 0xFF, which many use). */

/**
 * Whose fault a status is. `throttled`: the SMSC takes no more just now. `busy`: it cannot take anything just now. `connection`: it does not take
 * this from us, another one may. `message`: nobody will take it. `session`: the bind is not what it should be.
 */
type StatusClass = 'throttled' | 'busy' | 'connection' | 'message' | 'session';

/** By number; one that is not here, as those of each maker are, is the connection's. */
const STATUSES: Readonly<Record<number, readonly [name: string, StatusClass]>> = {
  1: ['ESME_RINVMSGLEN', 'message'],
  2: ['ESME_RINVCMDLEN', 'connection'],
  3: ['ESME_RINVCMDID', 'connection'],
  4: ['ESME_RINVBNDSTS', 'session'],
  5: ['ESME_RALYBND', 'session'],
  6: ['ESME_RINVPRTFLG', 'connection'],
  7: ['ESME_RINVREGDLVFLG', 'connection'],
  8: ['ESME_RSYSERR', 'busy'],
  10: ['ESME_RINVSRCADR', 'connection'],
  11: ['ESME_RINVDSTADR', 'message'],
  12: ['ESME_RINVMSGID', 'connection'],
  13: ['ESME_RBINDFAIL', 'session'],
  14: ['ESME_RINVPASWD', 'session'],
  15: ['ESME_RINVSYSID', 'session'],
  20: ['ESME_RMSGQFUL', 'throttled'],
  21: ['ESME_RINVSERTYP', 'connection'],
  67: ['ESME_RINVESMCLASS', 'message'],
  69: ['ESME_RSUBMITFAIL', 'connection'],
  72: ['ESME_RINVSRCTON', 'connection'],
  73: ['ESME_RINVSRCNPI', 'connection'],
  80: ['ESME_RINVDSTTON', 'connection'],
  81: ['ESME_RINVDSTNPI', 'connection'],
  83: ['ESME_RINVSYSTYP', 'connection'],
  88: ['ESME_RTHROTTLED', 'throttled'],
  97: ['ESME_RINVSCHED', 'connection'],
  98: ['ESME_RINVEXPIRY', 'connection'],
  100: ['ESME_RX_T_APPN', 'throttled'],
  101: ['ESME_RX_P_APPN', 'connection'],
  102: ['ESME_RX_R_APPN', 'message'],
  192: ['ESME_RINVOPTPARSTREAM', 'connection'],
  193: ['ESME_ROPTPARNOTALLWD', 'connection'],
  194: ['ESME_RINVPARLEN', 'connection'],
  195: ['ESME_RMISSINGOPTPARAM', 'connection'],
  196: ['ESME_RINVOPTPARAMVAL', 'connection'],
  254: ['ESME_RDELIVERYFAILURE', 'connection'],
  255: ['ESME_RUNKNOWNERR', 'connection'],
  256: ['ESME_RSERTYPUNAUTH', 'connection'],
  257: ['ESME_RPROHIBITED', 'connection'],
  258: ['ESME_RSERTYPUNAVAIL', 'connection'],
  259: ['ESME_RSERTYPDENIED', 'connection'],
  260: ['ESME_RINVDCS', 'message'],
};

/** The codes of attempts that say nothing about the connection: its load, the recipient and the text. */
export const OTHERS_CODES: readonly string[] = Object.values(STATUSES).flatMap(([name, whose]) =>
  whose === 'throttled' || whose === 'message' ? [name.toLowerCase()] : [],
);

/** `command_status` of answers of ours. */
export const OWN_STATUS = { ok: 0x00, invalidCommand: 0x03, tryLater: 0x64 } as const;

/** The name of a status as the specification has it, or its number in hex. */
export function statusName(status: number): string {
  return STATUSES[status]?.[0] ?? `0x${status.toString(16).padStart(8, '0')}`;
}

/** The class of a status. */
export function statusClass(status: number): StatusClass {
  return STATUSES[status]?.[1] ?? 'connection';
}

/**
 * Whether a bind was refused for its credentials: it is not tried again soon, since an SMSC may lock the account. `ESME_RBINDFAIL` names no reason, as
 * where a former session still stands.
 */
export function isRefusedLogin(status: number): boolean {
  return status === 0x0e || status === 0x0f;
}
