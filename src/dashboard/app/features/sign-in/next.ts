/** The way that one was on before the sign-in. */
import { useLocation } from 'react-router';

/** The page to open after the sign-in. Its address stands behind `#`, as it may tell of a person: no server is sent it. */
export function useNext(): string {
  return new URLSearchParams(useLocation().hash.slice(1)).get('next') ?? '/';
}
