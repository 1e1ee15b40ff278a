/** The operator, as commands see it: one who asks the schema, wherever the schema is. */
import { z } from 'zod';
import { Refusal } from '../refusal.ts';

/** The variables of an operation by their names. */
export type Fields = Readonly<Record<string, unknown>>;

/** A GraphQL operation with one root field under the alias `result`, and the shape of that field's value. */
export interface Operation<Data, Variables extends Fields = Fields> {
  readonly document: string;
  readonly result: z.ZodType<Data>;
  /** The values of its variables; one that is undefined is absent. Known to the type only. */
  readonly variables?: Variables;
}

/** How a subscription is followed. */
export interface FollowOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told before the next value that so many were left out, since they came faster than they were read. */
  leftOut(count: number): void;
}

/** Runs operations as the operator. `accountId` is the account to act for. */
export interface Operator {
  /** The place of the schema: at the gateway of this data directory, at one elsewhere, or in this process. */
  readonly place: 'gateway' | 'elsewhere' | 'process';
  /** Runs a query or a mutation. @throws Refusal */
  run<Data, Variables extends Fields>(
    operation: Operation<Data, Variables>,
    variables: NoInfer<Variables>,
    accountId?: string,
  ): Promise<Data>;
  /** Begins to follow: nothing after the promise resolved is missed, until the signal aborts. @throws Refusal, from the iterator too */
  follow<Data, Variables extends Fields>(
    operation: Operation<Data, Variables>,
    variables: NoInfer<Variables>,
    accountId: string | undefined,
    options: FollowOptions,
  ): Promise<AsyncIterable<Data>>;
  /** Closes what was opened. */
  close(): Promise<void>;
}

/** A page of a list, as its query answers it. */
interface PageOf<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The most rows of one answer. */
const ROWS_MAX = 200;

/** How many rows of a list there are where nothing is said. */
const ROWS_DEFAULT = 50;

/** As many rows as are asked for, by several questions if need be. One answer may have fewer though more follow, where few pass the filter. */
export async function readRows<Row>(
  wanted: number | undefined,
  ask: (page: { readonly first: number; readonly after: string | null }) => Promise<PageOf<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | null = null; ; ) {
    const left = (wanted ?? ROWS_DEFAULT) - rows.length;
    const { nodes, pageInfo }: PageOf<Row> = await ask({ first: Math.min(left, ROWS_MAX), after });
    rows.push(...nodes);
    if (nodes.length >= left || !pageInfo.hasNextPage) return rows;
    after = pageInfo.endCursor;
  }
}

const graphqlResult = z.object({
  data: z.looseObject({ result: z.unknown() }).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z
          .object({
            code: z.string().optional(),
            requestId: z.string().optional(),
            errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
  extensions: z.object({ dropped: z.number().optional() }).optional(),
});

/** The value of `result` in the JSON of a GraphQL answer; null where it is no such answer. @throws Refusal for the first of its errors. */
export function readResult<Data>(
  operation: Operation<Data>,
  answer: unknown,
): { readonly data: Data; readonly dropped: number } | null {
  const read = graphqlResult.safeParse(answer);
  if (!read.success) return null;
  const [error] = read.data.errors ?? [];
  if (error) {
    const { code, requestId, errors } = error.extensions ?? {};
    const message = `${error.message}${requestId ? ` (requestId ${requestId})` : ''}`;
    throw new Refusal(code?.toLowerCase() ?? null, message, undefined, errors);
  }
  const data = operation.result.safeParse(read.data.data?.result);
  return data.success ? { data: data.data, dropped: read.data.extensions?.dropped ?? 0 } : null;
}
