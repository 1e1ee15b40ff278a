/** How pages ask, change and follow. */
import { useDocumentVisibility } from '@mantine/hooks';
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryFilters,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { Failure } from '../ui/failure.ts';
import { ask, documentIdOf, follow, type Operation } from './ask.ts';
import { ViewerDocument, type ViewerQuery } from './operations.generated.ts';

/**
 * The cache of answers, for all pages. The error `UNAUTHENTICATED` asks for the viewer anew, and the frame leads to the sign-in. Nothing
 * of a viewer is left where another one comes.
 */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown): void => askWhoAnew(client, error);
  let seen: string | undefined;
  const onSuccess = (data: unknown, { queryKey }: { readonly queryKey: readonly unknown[] }): void => {
    const [asked] = keyOf(ViewerDocument);
    if (queryKey[0] !== asked) return;
    const key = viewerKey((data as ViewerQuery).viewer);
    // Before the pages hear of it.
    if (seen !== undefined && key !== seen) client.removeQueries({ predicate: other => other.queryKey[0] !== asked });
    seen = key;
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError, onSuccess }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Other errors would come again; a gateway that is unreachable or busy may be back.
        retry: (failures, error) => failures < 2 && error instanceof Failure && RETRIED.has(error.code),
        // Without a network the page says so at once.
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      // A change that waited for the network would be made when nobody wants it any more.
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** Names who asks, in what role, and about which account: what another one was shown is not theirs. */
export function viewerKey(viewer: ViewerQuery['viewer']): string {
  return JSON.stringify([viewer?.kind, viewer?.user?.userId, viewer?.account?.accountId, viewer?.role]);
}

function askWhoAnew(client: QueryClient, error: unknown): void {
  if (error instanceof Failure && error.code === 'UNAUTHENTICATED')
    void client.invalidateQueries({ queryKey: keyOf(ViewerDocument) });
}

const RETRIED = new Set(['UNREACHABLE', 'OVERLOADED', 'DATABASE_UNAVAILABLE']);

/** The cache key of the answer to an operation; without variables, of all its answers. */
export function keyOf<Answer, Variables>(operation: Operation<Answer, Variables>, variables?: Variables): unknown[] {
  const id = documentIdOf(operation as Operation<unknown, never>);
  return variables === undefined ? [id] : [id, variables];
}

/** The options of a query. */
interface AskOptions {
  /** Not asked while false. */
  readonly enabled?: boolean;
  /** Asked again after so many milliseconds. */
  readonly refetchInterval?: number;
}

/** The answer to an operation, kept while other pages show; what was shown stays while variables change. */
export function useAnswer<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  options: AskOptions = {},
): UseQueryResult<Answer, Failure> {
  return useQuery<Answer, Failure>({
    queryKey: keyOf(operation, variables),
    queryFn: ({ signal }) => ask(operation, variables, signal),
    placeholderData: keepPreviousData,
    ...options,
  });
}

/** How long a change waits at the most until what is shown is new, in milliseconds: one slow list does not hold it up. */
const RENEWED_MS = 1_000;

/** How long a change is waited for, in milliseconds: what makes it is not left before. */
const CHANGE_MS = 30_000;

/** Changes something; everything that is shown is asked anew after it. */
export function useChange<Answer, Variables>(
  operation: Operation<Answer, Variables>,
): UseMutationResult<Answer, Failure, Variables> {
  const client = useQueryClient();
  return useMutation<Answer, Failure, Variables>({
    mutationFn: variables => ask(operation, variables, AbortSignal.timeout(CHANGE_MS)),
    onSuccess: () => Promise.race([client.invalidateQueries(), new Promise(end => setTimeout(end, RENEWED_MS))]),
  });
}

/** Makes a secret, which is told this once: everything that is shown is asked anew while it shows already. */
export function useSecret<Answer, Variables>(
  operation: Operation<Answer, Variables>,
): UseMutationResult<Answer, Failure, Variables> {
  const client = useQueryClient();
  return useMutation<Answer, Failure, Variables>({
    mutationFn: variables => ask(operation, variables, AbortSignal.timeout(CHANGE_MS)),
    onSuccess: () => void client.invalidateQueries(),
  });
}

/** Asks anew for what is shown. A question that is under way is asked once more after its answer, which may be older than what was told. */
export function useAskAnew(): (filters: QueryFilters) => Promise<void> {
  const client = useQueryClient();
  return async filters => {
    const isUnderWay = client.isFetching(filters) > 0;
    await client.invalidateQueries(filters, { cancelRefetch: false });
    if (isUnderWay) await client.invalidateQueries(filters, { cancelRefetch: false });
  };
}

/** The callbacks and options of a subscription. */
interface FeedOptions<Answer> {
  /** Asks for the present state each time the line opens, since earlier events are not told. */
  readonly renew: () => unknown;
  /** Takes an event, and the number of dropped events before it; absent: `renew` is called. */
  readonly tell?: (answer: Answer, dropped: number) => void;
  /** Not followed while false. */
  readonly isOn?: boolean;
  /** Followed while the page is hidden too. */
  readonly isKept?: boolean;
}

/** How a subscription goes. */
interface Feed {
  /** Why it was refused; null: it was not. */
  readonly refused: Failure | null;
  /** Whether its line broke, and is being opened again. */
  readonly isLost: boolean;
}

/** Follows a subscription while the page is visible: browsers hold six connections to a host, and one that is hidden needs none. */
export function useFeed<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  { renew, tell = () => void renew(), isOn = true, isKept = false }: FeedOptions<Answer>,
): Feed {
  const [feed, setFeed] = useState<Feed>(QUIET);
  const client = useQueryClient();
  const isVisible = useDocumentVisibility() === 'visible' || isKept;
  const onAnswer = useEffectEvent(tell);
  const onOpened = useEffectEvent(() => {
    setFeed(QUIET);
    renew();
  });
  const onRefused = useEffectEvent((error: Failure) => {
    askWhoAnew(client, error);
    setFeed({ refused: error, isLost: false });
  });
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (!isOn || !isVisible) return;
    const abort = new AbortController();
    setFeed(QUIET);
    const lost = (): void => setFeed({ refused: null, isLost: true });
    const follower = { tell: onAnswer, opened: onOpened, lost };
    follow(operation, JSON.parse(key) as Variables, follower, abort.signal).catch(onRefused);
    return () => abort.abort();
  }, [operation, key, isOn, isVisible]);
  return feed;
}

const QUIET: Feed = { refused: null, isLost: false };
