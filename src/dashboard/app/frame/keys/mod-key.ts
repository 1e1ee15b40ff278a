/** The key that is held for shortcuts, as it is written on the keyboard of this machine. */
export const MOD_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';
