/** Keeps the keys that are typed while the palette loads: its input takes them as if it had been there. */

let kept = '';
let isKeeping = false;

/** The input that took keys last. */
let taker: HTMLInputElement | null = null;

/** From now on keys are kept, until the input takes them or nobody waits for it any more. */
export function keepKeys(): void {
  // The input of an open palette gets the keys itself.
  if (isKeeping || (taker !== null && document.activeElement === taker)) return;
  kept = '';
  isKeeping = true;
  addEventListener('keydown', keep, { capture: true });
}

/** Nobody waits any more. */
export function dropKeys(): void {
  isKeeping = false;
  removeEventListener('keydown', keep, { capture: true });
}

/** Types what was kept into the input, which has the focus now. */
export function typeKept(input: HTMLInputElement): void {
  taker = input;
  if (!isKeeping) return;
  dropKeys();
  if (kept === '') return;
  input.setRangeText(kept, 0, input.value.length, 'end');
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

function keep(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    dropKeys();
    return;
  }
  const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isText && event.key !== 'Backspace') return;
  event.preventDefault();
  event.stopPropagation();
  kept = isText ? kept + event.key : kept.slice(0, -1);
}
