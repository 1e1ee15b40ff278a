/** References make a request safe to repeat. */

/** Visible ASCII, 1 to 255 characters (contract §4). */
export const REFERENCE_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** The fault of a reference that does not match. */
export const REFERENCE_MESSAGE = 'must be 1 to 255 visible ASCII characters';
