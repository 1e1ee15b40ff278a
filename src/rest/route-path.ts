/** The paths of routes. Those of doors have parameters: segments that begin with a colon, as in `/2fa/2/pin/:pinId`. */

/**
 * Both forms of a path: with a slash at its end it is the same one (contract §4). Health and metrics have one alone, as rules of proxies name
 * them exactly.
 */
export function formsOf(path: string): readonly string[] {
  return [path, `${path}/`];
}

/** Whether a requested path, with or without a slash at its end, is that of a route. */
export function isPathOf(route: string, requested: string): boolean {
  const segments = requested.replace(/(?<=.)\/$/, '').split('/');
  const wanted = route.split('/');
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => (segment.startsWith(':') ? segments[index] !== '' : segment === segments[index]))
  );
}
