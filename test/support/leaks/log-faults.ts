/** Sentences of a started gateway beside its log: where it listens, what takes long, and why it does not start. */
const SENTENCE = /^(Heliograph listens on http\S+ – .*|[A-Z].* …|[A-Z].*[.;:].*)$/;

const TOKEN = /hg_(uni|sms|otp|mgt)_[\w-]{20,}/;

/** The sandbox's recipients, which are those that the tests send to. */
const RECIPIENT = /12025550\d{3}/;

/**
 * Faults in the standard error of a gateway: lines that are neither a sentence nor JSON, and answers of requests without a
 * request id. Unmasked recipients, tokens and the given words are faults anywhere.
 */
export function findLogFaults(stderr: string, forbidden: readonly string[]): string[] {
  const faults: string[] = [];
  for (const line of stderr.split('\n').filter(text => text !== '')) {
    const record = readRecord(line);
    if (record === null && !SENTENCE.test(line)) faults.push(`neither a sentence nor JSON: ${line}`);
    if (record !== null && 'path' in record && typeof record.requestId !== 'string')
      faults.push(`a request without its id: ${line}`);
    if (TOKEN.test(line)) faults.push(`a token: ${line}`);
    if (RECIPIENT.test(line)) faults.push(`an unmasked recipient: ${line}`);
    for (const word of forbidden) if (line.includes(word)) faults.push(`a text or a secret: ${line}`);
  }
  return faults;
}

/** A line of the log, or null where it is none. */
export function readRecord(line: string): Record<string, unknown> | null {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null && !Array.isArray(record) ? { ...record } : null;
  } catch {
    return null;
  }
}
