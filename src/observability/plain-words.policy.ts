/** Redacts words that callers choose before a log or the audit trail keeps them: they could be a text, a code or a number. */

/** The longest name, and the longest path, in characters. */
const NAME_MAX = 64;
const SEGMENTS_MAX = 6;

/** A step of a path that tells nothing: a word of letters, as the gateway's own paths are made of. */
const PLAIN_STEP = /^[A-Za-z][A-Za-z_-]{0,23}$/;

/** The ids that programs make by chance: the gateway's, those of traces, and UUIDs. One without a letter may be a number. */
const CHANCE =
  /^(?:(?:req|cli)_)?(?=.*[a-f])(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Fewer are a version or an index, and no code. */
const DIGITS_MIN = 3;

/** A path that is no route's: `/api/omni/sent/15550000001` as `/api/omni/sent/…`. */
export function plainPath(path: string): string {
  const steps = path.split('/').slice(1);
  const shown = steps.slice(0, SEGMENTS_MAX).map(step => (step === '' || PLAIN_STEP.test(step) ? step : '…'));
  return `/${shown.join('/')}${steps.length > SEGMENTS_MAX ? '/…' : ''}`;
}

/** The name of an operation or of a field, `input.to`: without numbers, and null where it is no name. */
export function plainName(name: string): string | null {
  if (name.length > NAME_MAX || !/^[A-Za-z_][\w.-]*$/.test(name)) return null;
  return withoutNumbers(withoutSecrets(name));
}

/** An id of a request, without the numbers of one that is not made by chance. */
export function plainRequestId(requestId: string): string {
  return CHANCE.test(requestId) ? requestId : withoutNumbers(withoutSecrets(requestId));
}

/** Tokens of the gateway, and secrets of webhooks, by how they begin (contract §2). */
const SECRET = /(?:hg_[a-z]{3}|whsec)_[\w+/=-]*/g;

function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET, '…');
}

/** In a row or in groups, as people write numbers and codes, however they are set apart. */
function withoutNumbers(text: string): string {
  return text.replaceAll(new RegExp(`[0-9](?:[._:-]*[0-9]){${DIGITS_MIN - 1},}`, 'g'), '…');
}
