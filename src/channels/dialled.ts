/** Numbers of WhatsApp as they are dialled. */

/**
 * A number as it is dialled. Mexico dropped the 1 of mobiles in 2019 (libphonenumber 8.10.17); accounts of before keep it in their WhatsApp id.
 * Anything else stays as it is.
 */
export function dialled(address: string): string {
  return address.replace(/^521(?=[0-9]{10}$)/, '52');
}

/** Whether a number is a mobile of Brazil, with or without the ninth digit of 2012 to 2016: accounts of before are known without it. */
export function mayBeOtherwise(number: string): boolean {
  return /^55[0-9]{2}9?[6-9][0-9]{7}$/.test(number);
}
