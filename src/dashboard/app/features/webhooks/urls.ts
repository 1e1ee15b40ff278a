/** URLs of endpoints as people say them, and what stands in for one that the gateway may not reach. */

/** `npx heliograph webhooks listen`, which forwards events to a URL on the machine that it runs on. */
export function listenCommand(url: string): string {
  return `npx heliograph webhooks listen --forward ${url}`;
}

/** Host, port and path of a URL: enough to tell endpoints at one host apart. The query is left out, as it may be secret. */
export function nameOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? parsed.host + parsed.pathname.replace(/\/$/, '') : url;
}

/** Host and port of a URL: what people call an endpoint by. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
