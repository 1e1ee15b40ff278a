/** Sends a request of an operation to this gateway, and shows what it answers. */
import { type ReactNode, use, useEffect, useRef, useState } from 'react';
import { Block, Code, Copy } from '../code.tsx';
import { areasOf, type Placed } from '../document.ts';
import { addressOf } from '../samples.ts';
import { makeToken, type SignedIn } from './signed-in.ts';
import { TokensContext, tokenFor } from './tokens.tsx';

interface Answered {
  readonly status: number;
  readonly statusText: string;
  readonly ms: number;
  readonly headers: string;
  readonly body: string;
}

/** The form of an operation, filled in with an example. */
export function TryIt({ operation, value }: { readonly operation: Placed; readonly value: unknown }): ReactNode {
  const { tokens, signedIn, set, ask } = use(TokensContext);
  const isRead = operation.method === 'GET';
  const [body, setBody] = useState('');
  const [query, setQuery] = useState<Readonly<Record<string, string>>>({});
  const [key, setKey] = useState('');
  const [answered, setAnswered] = useState<Answered | string | null>(null);
  const [isSending, setSending] = useState(false);
  useEffect(() => {
    if (isRead) setQuery(Object(value));
    else setBody(JSON.stringify(value, null, 2));
  }, [isRead, value]);
  const given = tokenFor(operation, tokens);
  const areas = areasOf(operation);
  const takesKey = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
  const [area = ''] = areas;
  /** Makes the token that is missing, for who is signed in. */
  const tokenNow = async (): Promise<string | undefined> => {
    if (given !== undefined || !signedIn) return given;
    const made = await makeToken(signedIn, area);
    set({ ...tokens, [area]: made });
    return made;
  };
  const send = async (): Promise<void> => {
    // A viewer makes no token, and without one there is nothing but a refusal.
    if (given === undefined && signedIn?.mayMake === false) {
      ask();
      return;
    }
    setSending(true);
    try {
      const token = await tokenNow();
      const answer = await sendWith(token);
      setAnswered(answer);
      // One that has ended is forgotten: the next request gets another one.
      if (typeof answer !== 'string' && answer.status === 401 && signedIn?.mayMake)
        set(Object.fromEntries(Object.entries(tokens).filter(([, kept]) => kept !== token)));
    } catch (error) {
      setAnswered(`No token could be made: ${error instanceof Error ? error.message : error}`);
    }
    setSending(false);
  };
  const sendWith = async (token: string | undefined): Promise<Answered | string> => {
    const parameters = Object.fromEntries(Object.entries(query).filter(([, text]) => text !== ''));
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(isRead ? {} : { 'content-type': 'application/json' }),
      ...(key === '' ? {} : { 'idempotency-key': key }),
    };
    return requestOf(addressOf(operation, parameters), isRead ? { headers } : { method: 'POST', headers, body });
  };
  return (
    <form
      className="try"
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="try-token">
        {tokenWord(given !== undefined, signedIn)}
        <strong>{areas.length > 1 ? 'any area' : area}</strong>
        <button type="button" className="quiet-button" onClick={ask}>
          {given === undefined ? 'Give one' : 'Change'}
        </button>
      </div>
      {isRead ? (
        <QueryInputs operation={operation} query={query} onChange={setQuery} />
      ) : (
        <label className="input">
          Body
          <textarea
            rows={Math.min(16, body.split('\n').length + 1)}
            spellCheck={false}
            value={body}
            onChange={event => setBody(event.target.value)}
          />
        </label>
      )}
      {takesKey && (
        <label className="input">
          Idempotency-Key
          <input value={key} placeholder="none" onChange={event => setKey(event.target.value)} />
        </label>
      )}
      <button type="submit" className="button main" disabled={isSending}>
        {isSending ? 'Sending …' : 'Send'}
      </button>
      <div aria-live="polite">{answered !== null && <Shown answered={answered} />}</div>
    </form>
  );
}

function tokenWord(isGiven: boolean, signedIn: SignedIn | null): string {
  if (isGiven) return 'Sends the token of ';
  return signedIn?.mayMake ? 'You are signed in: sends a token made for an hour, of ' : 'No token yet: ';
}

function QueryInputs(props: {
  readonly operation: Placed;
  readonly query: Readonly<Record<string, string>>;
  onChange(query: Readonly<Record<string, string>>): void;
}): ReactNode {
  const { operation, query } = props;
  return operation.parameters
    ?.filter(parameter => parameter.in === 'query')
    .map(({ name }) => (
      <label key={name} className="input">
        {name}
        <input
          value={query[name] ?? ''}
          placeholder="absent"
          onChange={event => props.onChange({ ...query, [name]: event.target.value })}
        />
      </label>
    ));
}

function Shown({ answered }: { readonly answered: Answered | string }): ReactNode {
  const shown = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer that comes is brought into sight
  useEffect(() => {
    // Newer browsers answer a promise, which is no clean-up.
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [answered]);
  if (typeof answered === 'string') return <p className="fault">{answered}</p>;
  const { status, statusText, ms, headers, body } = answered;
  return (
    <div className="shown" ref={shown}>
      <p className="outcome">
        <span className={`status status-${String(status).charAt(0)}`}>{status}</span> {statusText} in {ms} ms
      </p>
      <Block title="Body" actions={<Copy text={body} of="the body that came" />}>
        <Code text={body} />
      </Block>
      <details>
        <summary>Headers</summary>
        <Code text={headers} />
      </details>
    </div>
  );
}

async function requestOf(url: string, init: RequestInit): Promise<Answered | string> {
  const startedMs = performance.now();
  try {
    const response = await fetch(url, { ...init, credentials: 'omit' });
    const text = await response.text();
    const ms = Math.round(performance.now() - startedMs);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    return { status: response.status, statusText: response.statusText, ms, headers, body: indented(text) };
  } catch {
    return 'The gateway did not answer. Look whether it still runs, then send again.';
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
