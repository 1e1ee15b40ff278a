/** JSON that others wrote. */

/** The value of a text; null where the text is no JSON. */
export function jsonOf(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return null;
  }
}
