/** What the bench is made of: parts that can be run alone. */
import type { Goal } from './goals.ts';

/** What a part is run with. */
export interface Bench {
  /** The maintenance database of a PostgreSQL with default settings. */
  readonly clusterUrl: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly times: { readonly warmUpSeconds: number; readonly seconds: number };
  readonly say: (line?: string) => void;
}

/** One thing that is measured. It says its own report, and answers the figures that have goals. @throws RowFault */
export interface Part {
  readonly flag: string;
  readonly about: string;
  /** Whether it is only run when it is asked for. */
  readonly isApart?: boolean;
  readonly run: (bench: Bench) => Promise<readonly Goal[]>;
}
