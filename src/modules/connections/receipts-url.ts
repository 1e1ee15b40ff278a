/** The path under which providers report: `<path>/<connectionId>/<token>` (contract §13). */
export const RECEIPTS_PATH = '/receipts';

/** The end of the address for messages that people write, behind the address of receipts (contract §15). */
export const INBOUND_SUFFIX = '/inbound';

/** The address of the receipts of a connection. @param publicUrl the address at which providers reach this gateway, without a slash at its end */
export function receiptsUrl(publicUrl: string, connectionId: string, token: string): string {
  return `${publicUrl}${RECEIPTS_PATH}/${connectionId}/${token}`;
}
