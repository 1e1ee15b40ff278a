/** One faulty setting; `message` names the variable, the fault and the remedy. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** Rejects a setting with a message that names the variable, the fault and the remedy. */
export type Fault = (message: string) => never;

/** Faulty settings. `faults` holds all of them; `message` has one line for each, ready to be printed. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(fault => fault.message).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
