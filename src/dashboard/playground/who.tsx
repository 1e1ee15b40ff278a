/** Whether requests of the playground go as who is signed in to the dashboard, or need a token in their headers. */
import { type ReactNode, useEffect, useState } from 'react';
import { ofChosenAccount } from './fetcher.ts';

interface Viewer {
  readonly user: { readonly email: string } | null;
  readonly account: { readonly name: string } | null;
}

/** Says who is signed in, or leads to the way in. */
export function Who(): ReactNode {
  const [viewer, setViewer] = useState<Viewer | null>();
  useEffect(() => {
    askViewer().then(setViewer, () => setViewer(null));
  }, []);
  if (viewer === undefined) return null;
  if (viewer === null)
    return (
      <span>
        <a href="/dashboard">Sign in</a>, or put a token into Headers
      </span>
    );
  return (
    <span>
      Signed in as {viewer.user?.email ?? 'operator'}
      {viewer.account && ` (${viewer.account.name})`}
    </span>
  );
}

async function askViewer(): Promise<Viewer | null> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ofChosenAccount({}) },
    body: JSON.stringify({ query: '{ viewer { user { email } account { name } } }' }),
  });
  const { data }: { data?: { viewer: Viewer | null } } = await response.json();
  return data?.viewer ?? null;
}
