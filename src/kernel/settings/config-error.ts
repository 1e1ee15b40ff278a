/** What is said of settings that cannot be used. */

/** One setting that cannot be used; `message` names the variable, what is wrong with it, and the mend. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** Some settings cannot be used. `faults` holds all of them; `message` has one line each, ready to be printed. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(fault => fault.message).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
