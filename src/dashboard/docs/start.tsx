/** How the page begins: where the API is, what it takes, and which token opens what. */
import { type ReactNode, use } from 'react';
import { Words } from './code.tsx';
import type { OpenApi } from './document.ts';
import { TokensContext } from './try/tokens.tsx';

/** The first part. */
export function Start({ api }: { readonly api: OpenApi }): ReactNode {
  const { tokens, ask } = use(TokensContext);
  return (
    <section id="start" className="group start" aria-labelledby="start-title">
      <h1 id="start-title">Heliograph API</h1>
      <p className="lead">
        Send messages and passcodes over chat and SMS, and read what became of each. Requests and answers are JSON; the
        addresses begin with <code>{location.origin}</code>.
      </p>
      <h2>A token for each area</h2>
      <p>
        Send <code>Authorization: Bearer &lt;token&gt;</code>. Each path says which area it needs; a token of another
        area is refused with <a href="#wrong_area">wrong_area</a>. Give this page the tokens once, and each “Try it”
        takes the right one.
      </p>
      <ul className="areas">
        {Object.entries(api.components.securitySchemes).map(([name, { description }]) => {
          const area = name.replace(/Token$/, '');
          return (
            <li key={name}>
              <code>{area}</code>
              <span>
                <Words text={description.replace(/^.*?\. /, '')} />
              </span>
              {tokens[area] !== undefined && <span className="given">given</span>}
            </li>
          );
        })}
      </ul>
      <button type="button" className="button main" onClick={ask}>
        {Object.keys(tokens).length > 0 ? 'Change tokens' : 'Give tokens'}
      </button>
      <h2>What comes back</h2>
      <p>
        Success is status 200 and <code>{'{"success": true, "message", "data"}'}</code>. A failure is a problem document
        (RFC 9457) with a <code>code</code> to decide by; each operation lists the ones that it has, and{' '}
        <a href="#part-errors">Errors</a> says how to mend them. Every answer has <code>X-Request-Id</code>. Repeat a
        send safely with a <code>reference</code>.
      </p>
    </section>
  );
}
