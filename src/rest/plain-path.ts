/** A path as paths are compared: with one slash at its end it is the same path (contract §4). */
export function plainPath(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
