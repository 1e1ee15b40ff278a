/** The parameters of a provider's report. */
import type { ReportRequest } from '../contract.ts';
import { jsonOf } from './json.ts';

/** The parameters of a body, a form or one JSON object, whose texts and numbers are taken; a body that is neither has none. */
export function bodyParams({ headers, body }: ReportRequest): URLSearchParams {
  const text = body.toString('utf8');
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  return isJson ? jsonParams(text) : new URLSearchParams(text);
}

function jsonParams(text: string): URLSearchParams {
  const params = new URLSearchParams();
  const json = jsonOf(text);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return params;
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'string' || typeof value === 'number') params.append(name, String(value));
  }
  return params;
}
