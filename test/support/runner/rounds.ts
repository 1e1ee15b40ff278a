/**
 * How often a test is to repeat what chance decides. `npm test` takes the usual number. `npm run test:long` runs the files that repeat
 * something with the long one, times the factor `TEST_ROUNDS` where it is given. More rounds add certainty and nothing else.
 */
export function rounds({ usual, long }: { readonly usual: number; readonly long: number }): number {
  const { TEST_ROUNDS: wanted } = process.env;
  return wanted ? Math.max(1, Math.round(long * Number(wanted))) : usual;
}
