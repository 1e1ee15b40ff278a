/** Whether the gateway has a playground (`PLAYGROUND`). A gateway without one marks the pages that it serves. */
export function hasPlayground(): boolean {
  return document.documentElement.dataset.playground !== 'off';
}
