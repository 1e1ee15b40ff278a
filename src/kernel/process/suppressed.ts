/** The people whom accounts send nothing more to (contract §15), as a process knows them. */
export interface Suppressed {
  /** @param person a number in digits-only form, or the id that a channel has in its place */
  has(accountId: string, person: string): boolean;
  /** Notes a change that was committed just now. */
  note(accountId: string, person: string, isSuppressed: boolean): void;
}
