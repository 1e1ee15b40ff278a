/** The parts of the bench; each can be run alone. */
import type { Goal } from './goals.ts';

/** The settings of a run, handed to each part. */
export interface Bench {
  /** The maintenance database of a PostgreSQL with default settings. */
  readonly clusterUrl: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly times: { readonly warmUpSeconds: number; readonly seconds: number };
  readonly say: (line?: string) => void;
}

/** One thing that is measured. A part says its own report, and answers the figures that have goals. @throws RowFault */
export interface Part {
  readonly flag: string;
  readonly about: string;
  /** Whether it is only run when it is asked for. */
  readonly isApart?: boolean;
  readonly run: (bench: Bench) => Promise<readonly Goal[]>;
}
