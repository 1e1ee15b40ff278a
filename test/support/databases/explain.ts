/** The cost of the statements of a verb, as PostgreSQL explains them. */
import type { CompiledQuery } from 'kysely';
import type { Actor, Ctx } from '../../../src/context.ts';
import type { Sql } from '../../../src/db/statements/sql.ts';
import type { TestServices } from '../services.ts';

/** A node of a plan, as `explain (format json)` has it. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** Runs a verb, and answers the plans of the statements that it ran past the ORM. Each runs once more, on the data after the verb. */
export async function explainVerb(
  on: Pick<TestServices, 'ctxFor' | 'sql'>,
  actor: Actor,
  verb: (ctx: Ctx) => Promise<unknown>,
): Promise<PlanNode[]> {
  const { ctx, statements } = recordedCtx(on.ctxFor(actor));
  await verb(ctx);
  const plans: PlanNode[] = [];
  for (const { sql, parameters } of statements) {
    const rows = await on.sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
      parameters,
    );
    plans.push(...rows.map(row => row['QUERY PLAN'][0].Plan));
  }
  return plans;
}

/** A context whose statements past the ORM are noted as they are run. */
function recordedCtx(ctx: Ctx): { readonly ctx: Ctx; readonly statements: CompiledQuery[] } {
  const statements: CompiledQuery[] = [];
  const { database } = ctx.services;
  const sql = (): Sql => ({
    executeQuery(query) {
      statements.push(query);
      return database.sql().executeQuery(query);
    },
  });
  return { ctx: ctx.with({ services: { ...ctx.services, database: { ...database, sql } } }), statements };
}

/** A plan with all that is in it. */
export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** How many blocks plans read. */
export function blocksOf(plans: readonly PlanNode[]): number {
  return plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0);
}
