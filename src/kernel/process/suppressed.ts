/** One change of the list of an account. */
export interface SuppressionNote {
  /** The account, as a uuid. */
  readonly account_id: string;
  /** A number in digits-only form, or the id that a channel has in its place. */
  readonly person: string;
  readonly is_suppressed: boolean;
  /** Of two changes of one person the later one has the higher number. */
  readonly number: number;
}

/** The people whom accounts send nothing more to (contract §15), as a process knows them. */
export interface Suppressed {
  /** @param person a number in digits-only form, or the id that a channel has in its place */
  has(accountId: string, person: string): boolean;
  /** The name by which a person is suppressed whose number or id was erased. */
  erasedName(accountId: string, person: string): string;
  /** Notes a change that was committed just now. One that a later change has overtaken is passed over. */
  note(change: SuppressionNote): void;
}
