/** The page: a bar, the parts by area on the left, and all of them to read. */
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { ERRORS_PAGE } from '../errors-page.ts';
import { hasPlayground } from '../has-playground.ts';
import type { Language } from '../samples.ts';
import { forgetAndReload } from '../tab-storage.ts';
import { Words } from './code.tsx';
import { type Group, type OpenApi, operationsOf, wordsOf } from './document.ts';
import { OperationPart } from './operation.tsx';
import { SchemeSwitch } from './scheme.tsx';
import { Search } from './search.tsx';
import { Start } from './start.tsx';
import { askSignedIn, type SignedIn } from './try/signed-in.ts';
import { keepTokens, keptTokens, type Tokens, TokensContext, TokensDialog } from './try/tokens.tsx';
import { Webhooks } from './webhooks.tsx';

/** The whole page on a document. */
export function Page({ api }: { readonly api: OpenApi }): ReactNode {
  const groups = useMemo(() => groupsOf(api), [api]);
  const [tokens, setTokens] = useState<Tokens>(keptTokens);
  const [language, choose] = useState<Language>('curl');
  const tokensDialog = useRef<HTMLDialogElement>(null);
  const search = useRef<HTMLDialogElement>(null);
  const [signedIn, setSignedIn] = useState<SignedIn | null>(null);
  useEffect(() => void askSignedIn().then(setSignedIn), []);
  const held = useMemo(
    () => ({
      tokens,
      signedIn,
      set: (given: Tokens) => {
        keepTokens(given);
        setTokens(given);
      },
      ask: () => tokensDialog.current?.showModal(),
    }),
    [tokens, signedIn],
  );
  const current = useCurrent(groups);
  return (
    <TokensContext value={held}>
      <Bar
        api={api}
        search={search}
        ask={held.ask}
        isAuthorized={Object.keys(tokens).length > 0}
        groups={groups}
        current={current}
      />
      <div className="frame">
        <div className="side">
          <Nav groups={groups} current={current} label="Parts" />
        </div>
        <main>
          <Start api={api} />
          {groups.map(group => (
            <section key={group.id} id={group.id} className="group" aria-labelledby={`${group.id}-title`}>
              <h2 id={`${group.id}-title`}>{group.title}</h2>
              <p className="lead">
                <Words text={group.about} />
              </p>
              {group.title === 'Webhooks' ? (
                <Webhooks api={api} events={group.operations} />
              ) : (
                group.operations.map(operation => (
                  <OperationPart
                    key={operation.operationId}
                    api={api}
                    operation={operation}
                    chosen={{ language, choose }}
                  />
                ))
              )}
              {group.title === 'Errors' && (
                // biome-ignore lint/security/noDangerouslySetInnerHtml: it is a page of our own, made when the page is built
                <div className="text" dangerouslySetInnerHTML={{ __html: ERRORS_PAGE }} />
              )}
            </section>
          ))}
        </main>
      </div>
      <TokensDialog api={api} dialog={tokensDialog} />
      <Search groups={groups} dialog={search} />
    </TokensContext>
  );
}

function groupsOf(api: OpenApi): readonly Group[] {
  const all = [...operationsOf(api.paths), ...operationsOf(api.webhooks)];
  const groups = api.tags.map(({ name, description }): Group => {
    const operations = all.filter(({ tags }) => tags.includes(name));
    const links = operations.map(operation => ({
      id: operation.operationId,
      text: operation.summary,
      about: name === 'Webhooks' ? operation.operationId : `${operation.method} ${operation.path}`,
      words: `${operation.description} ${wordsOf(api, operation)}`,
    }));
    return { id: `part-${name.toLowerCase()}`, title: name, about: description, operations, links };
  });
  const codes = [...ERRORS_PAGE.matchAll(/<h3 id="([a-z_]+)">/g)].map(([, code = '']) => ({
    id: code,
    text: code,
    about: 'error',
  }));
  return [
    ...groups,
    {
      id: 'part-errors',
      title: 'Errors',
      about: 'What each code says, and how to mend it.',
      operations: [],
      links: codes,
    },
  ];
}

function Bar(props: {
  readonly api: OpenApi;
  readonly search: RefObject<HTMLDialogElement | null>;
  ask(): void;
  readonly isAuthorized: boolean;
  readonly groups: readonly Group[];
  readonly current: string;
}): ReactNode {
  const menu = useRef<HTMLDialogElement>(null);
  return (
    <header className="bar">
      <button
        type="button"
        className="button icon menu-button"
        aria-label="Parts"
        onClick={() => menu.current?.showModal()}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" strokeWidth="1.5" />
        </svg>
      </button>
      <a className="mark" href="/docs" aria-label={`Heliograph API ${props.api.info.version}`}>
        <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
          <circle cx="16" cy="16" r="6" fill="var(--amber)" />
          <path
            d="M16 4v3M16 25v3M4 16h3M25 16h3M7.5 7.5l2.1 2.1M22.4 22.4l2.1 2.1M7.5 24.5l2.1-2.1M22.4 9.6l2.1-2.1"
            stroke="var(--amber)"
            strokeWidth="2.5"
            strokeLinecap="round"
          />
        </svg>
        <b>Heliograph</b> <span>API {props.api.info.version}</span>
      </a>
      <button
        type="button"
        className="button find"
        aria-label="Search"
        onClick={() => props.search.current?.showModal()}
      >
        <span>Search</span> <kbd>/</kbd>
      </button>
      <button type="button" className="button" onClick={props.ask}>
        {props.isAuthorized ? 'Authorized ✓' : 'Authorize'}
      </button>
      <SchemeSwitch />
      <dialog ref={menu} className="sheet" aria-label="Parts of the page">
        <button type="button" className="quiet-button" onClick={() => menu.current?.close()}>
          Close
        </button>
        <Nav
          groups={props.groups}
          current={props.current}
          label="Parts of the page"
          onGo={() => menu.current?.close()}
        />
      </dialog>
    </header>
  );
}

function Nav(props: {
  readonly groups: readonly Group[];
  readonly current: string;
  readonly label: string;
  onGo?(): void;
}): ReactNode {
  const link = (id: string, text: string, className?: string): ReactNode => (
    <a
      key={id}
      href={`#${id}`}
      className={className}
      aria-current={props.current === id ? 'true' : undefined}
      onClick={props.onGo}
    >
      {text}
    </a>
  );
  return (
    <nav aria-label={props.label}>
      {link('start', 'Start')}
      {props.groups.map(({ id, title, links }) => (
        <div key={id}>
          {link(id, title, 'nav-title')}
          {title !== 'Errors' && links.map(({ id: part, text }) => link(part, text))}
        </div>
      ))}
      <div className="nav-foot">
        <a href="/dashboard">Dashboard</a>
        {hasPlayground() && <a href="/graphql">GraphQL playground</a>}
        <a href="/openapi.json">openapi.json</a>
        <button type="button" className="quiet-button" onClick={forgetAndReload}>
          Forget tokens
        </button>
      </div>
    </nav>
  );
}

/** The id of what is being read; goes to the part that the address names, once it is there. */
function useCurrent(groups: readonly Group[]): string {
  const [current, setCurrent] = useState('start');
  useEffect(() => {
    const wanted = location.hash.slice(1);
    if (wanted !== '') document.getElementById(wanted)?.scrollIntoView();
    const seen = new IntersectionObserver(
      entries => {
        const entered = entries.findLast(entry => entry.isIntersecting);
        if (entered) setCurrent(entered.target.id);
      },
      // The part at a line below the bar is being read; an operation follows the part that holds it.
      { rootMargin: '-80px 0px -85% 0px' },
    );
    const ids = [
      'start',
      ...groups.flatMap(({ id, operations }) => [id, ...operations.map(({ operationId }) => operationId)]),
    ];
    for (const id of ids) {
      const part = document.getElementById(id);
      if (part) seen.observe(part);
    }
    return () => seen.disconnect();
  }, [groups]);
  return current;
}
