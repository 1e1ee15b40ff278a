/** Who is signed in: asked once, and known to every page. */
import { createContext, type ReactNode, useContext } from 'react';
import type { Right, ViewerQuery } from '../../api/operations.generated.ts';

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

/** The rights of who is signed in. */
interface Rights {
  readonly isOperator: boolean;
  readonly isOwner: boolean;
  readonly mayChange: boolean;
  readonly may: (right: Right) => boolean;
}

/** What the one who is signed in may see and do: the gateway refuses the rest, so the page does not offer it. */
export function useRights(): Rights {
  const { kind, rights } = useViewer();
  const may = (right: Right): boolean => rights.includes(right);
  return { isOperator: kind === 'OPERATOR', isOwner: may('PEOPLE'), mayChange: may('CHANGE'), may };
}
