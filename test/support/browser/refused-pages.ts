/** Lists whose next page is refused. */
import type { Page } from 'playwright-core';
import { documentIdOf, type Operation } from '../../../src/dashboard/app/api/ask.ts';

/** A list that goes on by cursor, as it is answered. */
interface List {
  nodes: unknown[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The next pages of a list in a tab. */
export interface RefusedPages {
  /** How often one was asked for. */
  asked(): number;
  /** From now on there is a next page: the last one, and empty. */
  allow(): void;
}

/** Has a list go on in this tab, and refuses its next page with the words "Not now." */
export async function refuseNextPages(tab: Page, operation: Operation<unknown, never>): Promise<RefusedPages> {
  let asked = 0;
  let isAllowed = false;
  let first: Record<string, List> = {};
  await tab.route('**/graphql', async (route, request) => {
    const { documentId, variables } = request.postDataJSON();
    if (documentId !== documentIdOf(operation)) return await route.fallback();
    if (variables.after != null) {
      asked += 1;
      const errors = [{ message: 'Not now.', extensions: { code: 'INTERNAL_ERROR' } }];
      const data = mapped(first, { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } });
      return await route.fulfill({ json: isAllowed ? { data } : { errors } });
    }
    const response = await route.fetch();
    const answer: { data: Record<string, List> } = await response.json();
    first = answer.data;
    const data = mapped(first, { pageInfo: { hasNextPage: true, endCursor: 'next' } });
    await route.fulfill({ response, json: { data } });
  });
  return {
    asked: () => asked,
    allow() {
      isAllowed = true;
    },
  };
}

function mapped(lists: Readonly<Record<string, List>>, parts: Partial<List>): Record<string, List> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, 'pageInfo' in list ? { ...list, ...parts } : list]),
  );
}
