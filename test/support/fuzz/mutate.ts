/** Makes new inputs of those that are known. All of it is decided by a seed, so that a search can be repeated. */

/** A source of chance: a whole number from 0 to below `below`. */
export type Chance = (below: number) => number;

/** A chance that a seed decides (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return below => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The longest input, in bytes. */
const BYTES_MAX = 2_048;

/** Bytes at which code decides otherwise: bounds of numbers, of ASCII, of UTF-8. */
const EDGES = [
  0, 1, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x2e, 0x30, 0x39, 0x3a, 0x5c, 0x7f, 0x80, 0xc3, 0xed, 0xfe, 0xff,
];

type Mutation = (input: Buffer, at: number, chance: Chance, other: Buffer, tokens: readonly Buffer[]) => Buffer;

const splice = (input: Buffer, at: number, remove: number, put: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, at), put, input.subarray(at + remove)]);

const pieceOf = (bytes: Buffer, chance: Chance): Buffer => {
  const from = chance(bytes.length + 1);
  return bytes.subarray(from, from + chance(Math.min(32, bytes.length - from) + 1));
};

const MUTATIONS: readonly Mutation[] = [
  // One bit, one byte, an edge.
  (input, at, chance) => splice(input, at, 1, Buffer.of((input[at] ?? 0) ^ (1 << chance(8)))),
  (input, at, chance) => splice(input, at, 1, Buffer.of(chance(256))),
  (input, at, chance) => splice(input, at, chance(2), Buffer.of(EDGES[chance(EDGES.length)] ?? 0)),
  (input, at, chance) => splice(input, at, 1, Buffer.of(((input[at] ?? 0) + chance(33) - 16) & 0xff)),
  // A piece goes, comes twice, or comes from elsewhere.
  (input, at, chance) => splice(input, at, 1 + chance(16), Buffer.alloc(0)),
  (input, at, chance) => splice(input, at, 0, pieceOf(input, chance)),
  (input, at, chance, other) => splice(input, at, chance(8), pieceOf(other, chance)),
  (input, at, _chance, other) => Buffer.concat([input.subarray(0, at), other.subarray(Math.min(at, other.length))]),
  // A word that the code looks for; twice as likely as the others.
  (input, at, chance, _other, tokens) => splice(input, at, 0, tokens[chance(tokens.length)] ?? Buffer.alloc(0)),
  (input, at, chance, _other, tokens) => {
    const token = tokens[chance(tokens.length)] ?? Buffer.alloc(0);
    return splice(input, at, token.length, token);
  },
  // A long run: bounds of lengths.
  (input, at, chance) => splice(input, at, 0, Buffer.alloc(1 + chance(300), input[at] ?? 0x61)),
];

/** One to four changes of `input`; `other` is a known input too. */
export function mutate(input: Buffer, other: Buffer, tokens: readonly Buffer[], chance: Chance): Buffer {
  let made = input;
  for (let times = 1 + chance(4); times > 0; times--) {
    const mutation = MUTATIONS[chance(MUTATIONS.length)];
    made = mutation?.(made, chance(made.length + 1), chance, other, tokens) ?? made;
  }
  return made.subarray(0, BYTES_MAX);
}
