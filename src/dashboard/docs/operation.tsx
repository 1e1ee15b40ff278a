/** One operation: what it does and takes on the left, how to call it and what comes back on the right. */
import { type ReactNode, use, useMemo, useState } from 'react';
import { LANGUAGES, type Language } from '../samples.ts';
import { Answers } from './answers.tsx';
import { Block, Code, Copy, Tabs, Words } from './code.tsx';
import { areasOf, bodyOf, type OpenApi, type Placed } from './document.ts';
import { Fields, Parameters } from './fields.tsx';
import { sampleOf } from './samples.ts';
import { TokensContext, tokenFor } from './try/tokens.tsx';
import { TryIt } from './try/try-it.tsx';

/** The choice of a language, for all operations. */
export interface Chosen {
  readonly language: Language;
  choose(language: Language): void;
}

/** An operation, with an anchor by its id. */
export function OperationPart(props: {
  readonly api: OpenApi;
  readonly operation: Placed;
  readonly chosen: Chosen;
}): ReactNode {
  const { api, operation } = props;
  const { operationId, method, path, parameters = [] } = operation;
  const { schema } = bodyOf(operation.requestBody?.content);
  return (
    <article className="operation" id={operationId} aria-labelledby={`${operationId}-title`}>
      <div className="about">
        <h3 id={`${operationId}-title`}>
          <a href={`#${operationId}`}>{operation.summary}</a>
        </h3>
        <p className="path">
          <span className={`method method-${method.toLowerCase()}`}>{method}</span>
          <code>{path}</code>
          <span className="operation-id">{operationId}</span>
        </p>
        <p>
          <Words text={operation.description} />
        </p>
        <TokenLine operation={operation} />
        {schema && <Fields api={api} schema={schema} title="Body" />}
        {parameters.length > 0 && (
          <Parameters parameters={parameters} title={method === 'GET' ? 'Query string' : 'Headers'} />
        )}
        <Answers api={api} operation={operation} />
      </div>
      <Calls operation={operation} chosen={props.chosen} />
    </article>
  );
}

function TokenLine({ operation }: { readonly operation: Placed }): ReactNode {
  const { tokens, ask } = use(TokensContext);
  const areas = areasOf(operation);
  return (
    <p className="token-line">
      Takes{' '}
      {areas.length > 1 ? (
        'any live token'
      ) : (
        <>
          a token of the area <code>{areas[0]}</code>
        </>
      )}
      <button type="button" className="quiet-button" onClick={ask}>
        {tokenFor(operation, tokens) === undefined ? 'Authorize' : 'Authorized ✓'}
      </button>
    </p>
  );
}

/** The samples, the answer of the chosen example, and the form to try it. */
function Calls({ operation, chosen }: { readonly operation: Placed; readonly chosen: Chosen }): ReactNode {
  const examples = useMemo(() => examplesOf(operation), [operation]);
  const [name, setName] = useState(examples[0]?.name ?? '');
  const [isOpen, setOpen] = useState(false);
  const example = examples.find(one => one.name === name);
  const value = example?.value ?? null;
  const text = sampleOf(chosen.language, { operation, name, value });
  const answer = answerOf(operation, name);
  return (
    <div className="calls">
      {examples.length > 1 && (
        <label className="input example">
          Example
          <select value={name} onChange={event => setName(event.target.value)}>
            {examples.map(one => (
              <option key={one.name} value={one.name}>
                {one.summary}
              </option>
            ))}
          </select>
        </label>
      )}
      <Tabs
        label={`Ways to call ${operation.operationId}`}
        names={LANGUAGES}
        open={chosen.language}
        onOpen={chosen.choose}
        actions={<Copy text={text} of={`${chosen.language} for ${operation.operationId}`} />}
      >
        <Code text={text} />
      </Tabs>
      {answer && !isOpen && (
        <Block
          title={
            <>
              Answer <span className={`status status-${answer.status.charAt(0)}`}>{answer.status}</span>
            </>
          }
          actions={<Copy text={answer.text} of={`the answer of ${operation.operationId}`} />}
        >
          <Code text={answer.text} />
        </Block>
      )}
      {isOpen ? (
        <TryIt operation={operation} value={value} />
      ) : (
        <button
          type="button"
          className="button"
          aria-label={`Try it: ${operation.operationId}`}
          onClick={() => setOpen(true)}
        >
          Try it
        </button>
      )}
    </div>
  );
}

interface Shown {
  readonly name: string;
  readonly summary: string;
  readonly value: unknown;
}

/** The examples of the body; a GET has those of its answer, with the parameters that GraphQL was given. */
function examplesOf(operation: Placed): readonly Shown[] {
  const { examples } = bodyOf(operation.requestBody?.content);
  if (operation.method !== 'GET')
    return examples.map(([name, { summary, value }]) => ({ name, summary: summary ?? name, value }));
  return Object.entries(operation['x-graphql']?.variables ?? {}).map(([name, variables]) => ({
    name,
    summary: name,
    value: { limit: String(Object(variables).first ?? '') },
  }));
}

/** The answer to an example, by the document. */
function answerOf({ responses }: Placed, name: string): { readonly status: string; readonly text: string } | null {
  for (const [status, { content }] of Object.entries(responses)) {
    const found = bodyOf(content).examples.find(([given]) => given === name);
    if (found) return { status, text: JSON.stringify(found[1].value, null, 2) };
  }
  return null;
}
