/** URLs of endpoints as people say them, and what stands in for one that the gateway may not reach. */

/** `npx heliograph webhooks listen`, which forwards events to a URL on the machine that it runs on. */
export function listenCommand(url: string): string {
  return `npx heliograph webhooks listen --forward ${url}`;
}

/** Host and port of a URL: what people call an endpoint by. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
