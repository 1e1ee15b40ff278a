/** Who is signed in: asked once, and known to every page. */
import { createContext, type ReactNode, useContext } from 'react';
import type { ViewerQuery } from '../api/operations.generated.ts';

/** Who is signed in. */
export type Viewer = NonNullable<ViewerQuery['viewer']>;

const Context = createContext<Viewer | null>(null);

/** Tells the pages inside who is signed in. */
export function SessionProvider({ viewer, children }: { readonly viewer: Viewer; readonly children: ReactNode }) {
  return <Context value={viewer}>{children}</Context>;
}

/** Who is signed in. */
export function useViewer(): Viewer {
  const viewer = useContext(Context);
  if (!viewer) throw new Error('nobody is signed in here');
  return viewer;
}

/** What the one who is signed in may do: the gateway refuses the rest, so the page does not offer it. */
export function useRights(): { readonly isOperator: boolean; readonly isOwner: boolean; readonly mayChange: boolean } {
  const { kind, role } = useViewer();
  const isOperator = kind === 'OPERATOR';
  return { isOperator, isOwner: isOperator || role === 'OWNER', mayChange: isOperator || role !== 'VIEWER' };
}
