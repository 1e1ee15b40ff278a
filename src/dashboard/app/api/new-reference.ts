/** The reference of a request that is made once, however often its button is pressed. */
export function newReference(prefix: string): string {
  // `crypto.randomUUID` is there by https and on loopback alone.
  return `${prefix}-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
