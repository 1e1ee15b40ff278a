/** How both transports refuse. */
import { expect } from 'vitest';
import { problem } from '../../src/rest/schemas.ts';
import type { GraphqlAnswer, RestAnswer } from './app.ts';

/**
 * Expects an answer that refuses: problem details over REST, or one error and no data over GraphQL. The code is the one of REST; where a
 * field is given, it is the only one that is told of.
 */
export function expectProblem(
  answer: RestAnswer | GraphqlAnswer<unknown>,
  status: number,
  code: string,
  field?: string,
): void {
  const errors = field === undefined ? {} : { errors: [{ field, message: expect.any(String) }] };
  if ('data' in answer) {
    const error = { message: expect.any(String), extensions: { code: code.toUpperCase(), ...errors } };
    expect(answer).toMatchObject({ status, data: null, errors: [error] });
    return;
  }
  const body = { success: false, status, code, requestId: expect.any(String), ...errors };
  expect(answer).toMatchObject({ status, body });
  expect(problem.safeParse(answer.body).error).toBeUndefined();
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId);
}

/** Expects a limit over REST that says how long to wait, in the body and in the header. */
export function expectLimit(answer: RestAnswer, code: string, atMostSeconds: number): void {
  expectProblem(answer, 429, code);
  const { retryAfter = 0 } = answer.body;
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(atMostSeconds);
  expect(answer.headers.get('retry-after')).toBe(String(retryAfter));
}

/** The members that every problem has, in their order. */
export const PROBLEM_MEMBERS = [
  'success',
  'message',
  'type',
  'title',
  'status',
  'detail',
  'code',
  'requestId',
] as const;
