/** GraphiQL's editors take the colours of the system when they open; its own page follows the system at any time. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

/** Lets the editors follow, too, where nobody has chosen a theme in the settings. Shows nothing. */
export function FollowScheme(): null {
  const theme = useGraphiQL(state => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    if (theme) return;
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(null);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [theme, setTheme]);
  return null;
}
