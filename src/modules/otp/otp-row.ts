/** OTPs as whole rows, as PostgreSQL writes them into JSON. */
import { rowsWithout } from '../../db/statements/records.ts';
import { Otp } from './otp.entity.ts';

const OTPS = rowsWithout(Otp);

/** A row of `otps`. */
export type OtpJson = Readonly<Record<string, unknown>>;

/** The OTP of a row, as plain data. */
export function fromOtpJson(row: OtpJson): Otp {
  return OTPS.fromRow(row);
}
