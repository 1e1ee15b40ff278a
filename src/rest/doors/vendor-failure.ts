/** A failure in a vendor's form. */
export interface VendorFailure {
  readonly status: number;
  readonly body: object;
  /** How callers authenticate (`WWW-Authenticate`). */
  readonly challenge: string;
}
