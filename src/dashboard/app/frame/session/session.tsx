/** The session: asked for once, and known to every page. */
import { createContext, type ReactNode, useContext } from 'react';
import type { Right, ViewerQuery } from '../../api/operations.generated.ts';

/** The person or operator who is signed in. */
export type Viewer = NonNullable<ViewerQuery['viewer']>;

const Context = createContext<Viewer | null>(null);

/** Tells the pages inside who is signed in. */
export function SessionProvider({ viewer, children }: { readonly viewer: Viewer; readonly children: ReactNode }) {
  return <Context value={viewer}>{children}</Context>;
}

/** The viewer of this session. @throws Error where nobody is signed in */
export function useViewer(): Viewer {
  const viewer = useContext(Context);
  if (!viewer) throw new Error('nobody is signed in here');
  return viewer;
}

/** The rights of the viewer, those that pages ask for most by name. */
interface Rights {
  readonly isOperator: boolean;
  readonly isOwner: boolean;
  readonly mayChange: boolean;
  readonly may: (right: Right) => boolean;
}

/** The rights of the viewer. The gateway refuses all else, so a page does not offer it. */
export function useRights(): Rights {
  const { kind, rights } = useViewer();
  const may = (right: Right): boolean => rights.includes(right);
  return { isOperator: kind === 'OPERATOR', isOwner: may('PEOPLE'), mayChange: may('CHANGE'), may };
}
