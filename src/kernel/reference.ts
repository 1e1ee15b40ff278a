/** References: what makes a request safe to repeat, unique where it is used. */

/** Visible ASCII, 1 to 255 characters (contract §4). */
export const REFERENCE_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** What a reference that does not fit is told. */
export const REFERENCE_MESSAGE = 'must be 1 to 255 visible ASCII characters';
