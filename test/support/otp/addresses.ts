let last = 0;

/** An address of an end user that nobody else of this process has guessed from. */
export function newAddress(): string {
  last += 1;
  return `10.${(last >> 16) & 255}.${(last >> 8) & 255}.${last & 255}`;
}
