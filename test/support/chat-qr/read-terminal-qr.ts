/** QR codes that a command draws by half blocks. */
import decodeQR from 'qr/decode.js';

/** Whether the upper and the lower half of a character are light. */
const HALVES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [true, true],
  '▀': [true, false],
  '▄': [false, true],
  ' ': [false, false],
};

/** How many points a module has, as a camera sees it. */
const POINTS = 4;

/** The text of the last QR code that was printed; null: there is none. */
export function readTerminalQr(printed: string): string | null {
  const lines = printed.split('\n').filter(line => /^[█▀▄ ]{20,}$/.test(line));
  const [first] = lines;
  if (first === undefined) return null;
  const size = first.length;
  const rows = lines
    .slice(-Math.ceil(size / 2))
    .flatMap(line => [0, 1].map(half => [...line].map(character => HALVES[character]?.[half] ?? false)));
  const side = size * POINTS;
  const data = new Uint8Array(side * side * 3);
  for (let at = 0; at < side * side; at++) {
    const isLight = rows[Math.floor(at / side / POINTS)]?.[Math.floor((at % side) / POINTS)];
    data.fill(isLight ? 255 : 0, at * 3, at * 3 + 3);
  }
  return decodeQR({ width: side, height: side, data });
}
