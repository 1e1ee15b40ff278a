/** Recipients of OTPs, spread over a numbering plan, so that the fraud guard counts them for as many prefixes. */

/** Area codes of the United States. */
const AREAS = [
  202, 205, 206, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229, 231, 234, 239, 240, 248, 251, 252, 253,
  254, 256, 260, 262, 267, 269, 270, 276, 281, 301, 302, 303, 304, 305, 307, 308, 309,
];

/** Exchanges without those of services (`411`) and of fiction (555), whose numbers are the sandbox's magic ones. */
const EXCHANGES = Array.from({ length: 700 }, (_unused, index) => 220 + index).filter(
  exchange => exchange % 100 !== 11 && exchange !== 555,
);

/** How many recipients follow one another before a prefix (a number without its last four digits) comes again. */
const PREFIXES = AREAS.length * EXCHANGES.length;

const LINES_FROM = 2_000;
const LINES = 8_000;

/** A recipient in digits-only form. Serials below `PREFIXES * 8_000` have one each, `PREFIXES` in a row each another prefix. */
export function phoneOf(serial: number): string {
  const area = AREAS[serial % AREAS.length];
  const exchange = EXCHANGES[Math.floor(serial / AREAS.length) % EXCHANGES.length];
  return `1${area}${exchange}${LINES_FROM + (Math.floor(serial / PREFIXES) % LINES)}`;
}
