/**
 * GraphiQL calls the items of its list of tabs tabs, and puts two buttons into each: who listens cannot reach them. Here they are a list
 * of buttons, and the button of the open one says so.
 */
export function keepTabsPlain(root: Element): void {
  const mend = (): void => {
    const list = root.querySelector('.graphiql-tabs');
    list?.removeAttribute('role');
    root.querySelector('#graphiql-session')?.removeAttribute('role');
    for (const tab of list?.children ?? []) {
      const isOpen = tab.classList.contains('graphiql-tab-active');
      tab.removeAttribute('role');
      tab.removeAttribute('aria-selected');
      const button = tab.querySelector('button');
      if (isOpen) button?.setAttribute('aria-current', 'true');
      else button?.removeAttribute('aria-current');
    }
  };
  // The changes by `mend` call it once more, and that run finds nothing to change.
  new MutationObserver(mend).observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['role', 'aria-selected', 'class'],
  });
}
