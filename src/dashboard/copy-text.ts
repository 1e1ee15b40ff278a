/**
 * Puts a text on the clipboard. Browsers give it to pages by https and on loopback alone; elsewhere a selection is copied, which they allow
 * who has just clicked.
 * @throws Error where the browser refuses
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const opener = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  Object.assign(area.style, { position: 'fixed', opacity: '0' });
  // A modal dialog keeps the focus inside.
  (opener?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (opener instanceof HTMLElement) opener.focus();
  if (!isCopied) throw new Error('The browser copies nothing for this page.');
}
