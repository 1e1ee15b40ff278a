/** The tokens that the page sends: one for each area, kept in the tab and nowhere else. */
import { createContext, type ReactNode, type RefObject, use, useState } from 'react';
import { DOCS_KEY, tabStorage } from '../../tab-storage.ts';
import { Words } from '../code.tsx';
import { areasOf, type OpenApi, type Operation } from '../document.ts';
import type { SignedIn } from './signed-in.ts';

/** Tokens by their areas. */
export type Tokens = Readonly<Record<string, string>>;

/** The tokens as the parts of the page share them. */
export interface TokensHeld {
  readonly tokens: Tokens;
  /** The dashboard's session; null: nobody is signed in. */
  readonly signedIn: SignedIn | null;
  set(tokens: Tokens): void;
  /** Opens the dialog in which they are given. */
  ask(): void;
}

/** The tokens of the page. */
export const TokensContext = createContext<TokensHeld>({
  tokens: {},
  signedIn: null,
  set: () => undefined,
  ask: () => undefined,
});

/** The tokens that the tab holds. */
export function keptTokens(): Tokens {
  try {
    const kept: unknown = JSON.parse(tabStorage.getItem(DOCS_KEY) ?? '{}');
    return Object.fromEntries(
      Object.entries(Object(kept)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

/** Keeps tokens in the tab. */
export function keepTokens(tokens: Tokens): void {
  tabStorage.setItem(DOCS_KEY, JSON.stringify(tokens));
}

/** The token for an operation: of its area, or of any where every one opens it. */
export function tokenFor(operation: Operation, tokens: Tokens): string | undefined {
  return areasOf(operation)
    .map(area => tokens[area])
    .find(token => token !== undefined);
}

/** The areas by what their tokens begin with. */
const STARTS: Readonly<Record<string, string>> = {
  hg_uni_: 'unified',
  hg_sms_: 'sms',
  hg_otp_: 'otp',
  hg_mgt_: 'management',
};

/** Says what is wrong with a token for an area, or nothing. */
function faultOf(area: string, token: string): string {
  const given = STARTS[token.slice(0, 7)];
  return given === undefined || given === area ? '' : `This is a token of the area ${given}.`;
}

/** The dialog that takes a token for each area. */
export function TokensDialog(props: {
  readonly api: OpenApi;
  readonly dialog: RefObject<HTMLDialogElement | null>;
}): ReactNode {
  const { tokens, set } = use(TokensContext);
  const [typed, setTyped] = useState<Tokens>({});
  const areas = Object.entries(props.api.components.securitySchemes).map(
    ([name, { description }]) => [name.replace(/Token$/, ''), description] as const,
  );
  const close = (): void => {
    setTyped({});
    props.dialog.current?.close();
  };
  const save = (): void => {
    const all = Object.entries({ ...tokens, ...typed }).map(([area, token]) => [area, token.trim()] as const);
    set(Object.fromEntries(all.filter(([, token]) => token !== '')));
    close();
  };
  return (
    <dialog ref={props.dialog} className="dialog" aria-labelledby="tokens-title" onClose={() => setTyped({})}>
      <form
        onSubmit={event => {
          event.preventDefault();
          save();
        }}
      >
        <h2 id="tokens-title">Tokens</h2>
        <p>
          Each area has a token of its own, and “Send” takes the one that its path needs. They stay in this tab until
          you close it or forget them. Those of the demo account are in <code>.data/demo.json</code>; make others with{' '}
          <code>npx heliograph token create</code>.
        </p>
        {areas.map(([area, description]) => {
          const fault = faultOf(area, (typed[area] ?? '').trim());
          return (
            <div key={area} className="token">
              <label htmlFor={`token-${area}`}>Token of {area}</label>
              <input
                id={`token-${area}`}
                type="password"
                autoComplete="off"
                spellCheck={false}
                value={typed[area] ?? tokens[area] ?? ''}
                aria-describedby={`token-${area}-about`}
                aria-invalid={fault !== ''}
                onChange={event => setTyped({ ...typed, [area]: event.target.value })}
              />
              <div id={`token-${area}-about`} className={fault === '' ? 'hint' : 'fault'}>
                {fault === '' ? <Words text={description.replace(/^.*?\. /, '')} /> : fault}
              </div>
            </div>
          );
        })}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button main">
            Keep in this tab
          </button>
        </div>
      </form>
    </dialog>
  );
}
