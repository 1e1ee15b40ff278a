/** How pages ask, change and follow. */
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { ask, documentIdOf, Failure, follow, type Operation } from './ask.ts';
import { ViewerDocument } from './operations.generated.ts';

/** What was asked last, for all pages. Where a session is over, who is signed in is asked anew, which leads to the way in. */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown): void => askWhoAnew(client, error);
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refusal stays one; what is unreachable or busy may be back.
        retry: (failures, error) => failures < 2 && error instanceof Failure && RETRIED.has(error.code),
      },
    },
  });
  return client;
}

function askWhoAnew(client: QueryClient, error: unknown): void {
  if (error instanceof Failure && error.code === 'UNAUTHENTICATED')
    void client.invalidateQueries({ queryKey: keyOf(ViewerDocument) });
}

const RETRIED = new Set(['UNREACHABLE', 'OVERLOADED', 'DATABASE_UNAVAILABLE']);

/** The key of what an operation was answered. */
export function keyOf<Answer, Variables>(operation: Operation<Answer, Variables>, variables?: Variables): unknown[] {
  const id = documentIdOf(operation as Operation<unknown, never>);
  return variables === undefined ? [id] : [id, variables];
}

/** What may be set of a question. */
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

/** Changes something; everything that is shown is asked anew after it. */
export function useChange<Answer, Variables>(
  operation: Operation<Answer, Variables>,
): UseMutationResult<Answer, Failure, Variables> {
  const client = useQueryClient();
  return useMutation<Answer, Failure, Variables>({
    mutationFn: variables => ask(operation, variables),
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Follows a subscription while the page shows, or while `isOn`. Answers why it was refused; null: it was not. */
export function useFeed<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  tell: (answer: Answer) => void,
  isOn = true,
): Failure | null {
  const [failure, setFailure] = useState<Failure | null>(null);
  const client = useQueryClient();
  const onAnswer = useEffectEvent(tell);
  const onRefused = useEffectEvent((error: Failure) => {
    askWhoAnew(client, error);
    setFailure(error);
  });
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (!isOn) return;
    const abort = new AbortController();
    setFailure(null);
    follow(operation, JSON.parse(key) as Variables, onAnswer, abort.signal).catch(onRefused);
    return () => abort.abort();
  }, [operation, key, isOn]);
  return failure;
}
