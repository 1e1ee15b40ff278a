/** The paths of routes. A parameter is a segment that begins with a colon: `/api/omni/messages/:messageId`. */
const PARAMETER = /:([A-Za-z]+)/g;

/** The names of a path's parameters. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/** The path as OpenAPI writes it, its parameters in braces. */
export function documentedPath(path: string): string {
  return path.replaceAll(PARAMETER, '{$1}');
}

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
