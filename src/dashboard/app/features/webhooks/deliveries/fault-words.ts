/** Why a try failed, in words. The sentence of the gateway, which names the mend, is in the drawer of the delivery. */

/** By the code; those of an answer go on with its status. */
const WORDS: Readonly<Record<string, (httpStatus: number | null) => string>> = {
  bad_status: status => `answered ${status ?? 'something'}, not 2xx`,
  redirect: status => `answered ${status ?? 'something'}, a redirect`,
  timeout: () => 'no answer in time',
  dns_failed: () => 'its host has no address',
  address_refused: () => 'its address is not allowed',
  connection_failed: () => 'cannot be reached',
  tls_failed: () => 'no secure connection',
  response_invalid: () => 'no valid HTTP answer',
  secret_lost: () => 'its secret cannot be read any more',
};

/** The words for a fault. A code that is not known here is told as plain words. */
export function faultWord(error: string, httpStatus: number | null): string {
  return WORDS[error]?.(httpStatus) ?? error.replaceAll('_', ' ');
}
