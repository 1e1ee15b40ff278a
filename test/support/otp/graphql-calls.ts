/** The mutations of OTPs over GraphQL, with every field of their answer. */
import { expect } from 'vitest';
import type { Customer, GraphqlAnswer, GraphqlFault, TestApp } from '../app.ts';

const FIELDS = `
  __typename id pinId recipient status channel channels deliveryMode length expiresAt resendAvailableAt resends attemptsRemaining
  attempts { __typename id channel provider status errorCode segments credits } verifiedAt createdAt
`;

/** Sends an OTP. */
export const SEND_OTP = `mutation ($input: SendOtpInput!) { otp: sendOtp(input: $input) { ${FIELDS} } }`;

/** Sends an OTP again. */
export const RESEND_OTP = `mutation ($input: ResendOtpInput!) { otp: resendOtp(input: $input) { ${FIELDS} } }`;

/** Verifies an OTP. */
export const VERIFY_OTP = `mutation ($input: VerifyOtpInput!) { otp: verifyOtp(input: $input) { ${FIELDS} } }`;

/** The answer to each of these documents. */
export interface OtpAnswer {
  readonly otp: {
    readonly pinId: string;
    readonly status: string;
    readonly channel: string | null;
    readonly resends: number;
    readonly expiresAt: string;
    readonly createdAt: string;
    readonly resendAvailableAt: string | null;
    readonly verifiedAt: string | null;
    readonly attemptsRemaining: number;
    readonly attempts: readonly { readonly id: string; readonly channel: string; readonly status: string }[];
  };
}

/** Asks one of them with an input. */
export type AskOtp = (
  query: string,
  input: Readonly<Record<string, unknown>>,
  token?: string | null,
  headers?: Record<string, string>,
) => Promise<GraphqlAnswer<OtpAnswer>>;

/** Asks them of an application, with the unified token of a customer unless told. */
export function askerOf(on: TestApp, customer: Customer): AskOtp {
  return (query, input, token = customer.tokens.unified, headers = {}) =>
    on.graphql<OtpAnswer>(query, { token, variables: { input }, headers });
}

/** The OTP of an answer without errors. */
export function otpOf({ data, errors }: GraphqlAnswer<OtpAnswer>): OtpAnswer['otp'] {
  expect(errors).toBeNull();
  if (!data) throw new Error('there is no data');
  return data.otp;
}

/** The error of an answer that is one error and nothing else. */
export function onlyError({ status, data, errors }: GraphqlAnswer<unknown>): GraphqlFault {
  expect([status, data]).toEqual([200, null]);
  expect(errors).toHaveLength(1);
  const [error] = errors ?? [];
  if (!error) throw new Error('there is no error');
  return error;
}
