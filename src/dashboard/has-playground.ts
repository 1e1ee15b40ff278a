/** Whether the gateway has a playground (`PLAYGROUND`). Where it has none, it says so in the pages that it serves. */
export function hasPlayground(): boolean {
  return document.documentElement.dataset.playground !== 'off';
}
