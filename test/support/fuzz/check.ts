/** Assertions of fuzz targets about the code that they run. */
import type { Inbound, Report } from '../../../src/channels/contract.ts';

/** An input showed that something does not hold. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** @throws Fault where it does not hold */
export function hold(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Fault(what);
}

/** The values of two sides are the same. @throws Fault */
export function same(actual: unknown, expected: unknown, what: string): void {
  hold(Object.is(actual, expected), `${what}: ${JSON.stringify(actual)}, and not ${JSON.stringify(expected)}`);
}

const STATUSES: readonly string[] = ['sent', 'delivered', 'read', 'failed', 'expired'];

/** A report can be stored and told. @throws Fault */
export function holdReport(report: Report, bounds: { readonly errorCode: number }): void {
  hold(STATUSES.includes(report.status), `the status ${report.status}`);
  hold(report.providerMessageId !== '', 'an empty id of a message');
  hold(report.attemptId !== '', 'an empty id of an attempt');
  hold(report.errorCode !== '', 'an empty code');
  hold((report.errorCode?.length ?? 0) <= bounds.errorCode, `a code of ${report.errorCode?.length} characters`);
  const isBad = report.status === 'failed' || report.status === 'expired';
  hold(!isBad || report.errorCode !== null, 'a failure without a code');
}

/** A message of a person names both sides and a kind, has text where it is one, and its part is in bounds. @throws Fault */
export function holdInbound({ from, to, text, type, part }: Inbound): void {
  hold(typeof from === 'string' && typeof to === 'string' && type !== '', 'nobody wrote to anybody');
  hold(type !== 'text' || text !== null, 'a text without a text');
  if (part) hold(part.number >= 1 && part.number <= part.total && part.total >= 2, `the part ${JSON.stringify(part)}`);
}
