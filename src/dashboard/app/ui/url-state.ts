/** The state of a page in its URL, so that a link and a reload show the same. */
import { useSearchParams } from 'react-router';

/** Puts parts of the URL to their values; null takes one away. */
export type ChangeUrl = (parts: Readonly<Record<string, string | null>>) => void;

/** The parts of the URL, and the function that changes them. The first value of `step` is an entry of the history, so that Back removes it. */
export function useUrlState(step?: string): [URLSearchParams, ChangeUrl] {
  const [params, setParams] = useSearchParams();
  const change: ChangeUrl = parts =>
    setParams(
      before => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(parts)) {
          if (value === null || value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: step === undefined || !parts[step] || params.has(step) },
    );
  return [params, change];
}
