/** The components of a template as they are typed: JSON. */

/** The fault of the JSON of components; null: there is none. */
export function componentsFault(json: string): string | null {
  if (json.trim() === '') return null;
  try {
    return Array.isArray(JSON.parse(json)) ? null : 'must be a JSON array of components';
  } catch (error) {
    return `is no JSON: ${error instanceof Error ? error.message : error}`;
  }
}

/** The components of this JSON; null: there are none, or they cannot be read. */
export function readComponents(json: string): Record<string, unknown>[] | null {
  return json.trim() === '' || componentsFault(json) !== null ? null : JSON.parse(json);
}
