/**
 * How often a test is to repeat what chance decides. `npm test` takes the usual number; `npm run test:long` runs the files that repeat
 * something with the long one, or with as many times as much as `TEST_ROUNDS` says. That adds certainty and nothing else.
 */
export function rounds({ usual, long }: { readonly usual: number; readonly long: number }): number {
  const { TEST_ROUNDS: wanted } = process.env;
  return wanted ? long * Number(wanted) : usual;
}
