/** The address of a provider's API, where it is not the usual one. */
import { z } from 'zod';

const rule = z
  .string()
  .max(2_048, 'must have at most 2048 characters')
  .superRefine((value, { addIssue }) => {
    const url = URL.parse(value);
    if (!url || !/^https?:$/.test(url.protocol))
      addIssue({ code: 'custom', message: 'must be a whole URL that begins with https:// or http://' });
    else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      addIssue({ code: 'custom', message: 'must hold no user name, no password, no query and no fragment' });
  });

/** The rule of a `baseUrl`: http or https, a host, and a path at most. Absent: the usual one. */
export function baseUrl(usual: string) {
  const description = 'Where the API is, if not at its usual address';
  return rule.default(usual).meta({ title: 'Base URL', description, group: 'tuning' });
}

/** The origin and the path prefix of requests; a prefix does not end with `/`. */
export function readBaseUrl(text: string): { readonly origin: string; readonly prefix: string } {
  const { origin, pathname } = new URL(text);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}
