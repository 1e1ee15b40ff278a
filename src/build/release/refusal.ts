/** A release that cannot be made, with the mend in its message. */
export class ReleaseRefusal extends Error {}
