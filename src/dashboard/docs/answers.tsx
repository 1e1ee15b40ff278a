/** The answers of an operation: each status with its codes, headers, fields and examples. */
import type { ReactNode } from 'react';
import { Block, Code, Copy, Words } from './code.tsx';
import { type Answer, bodyOf, type OpenApi, type Placed } from './document.ts';
import { Fields } from './fields.tsx';

/** The answers of an operation, each to be opened. */
export function Answers({ api, operation }: { readonly api: OpenApi; readonly operation: Placed }): ReactNode {
  return (
    <section className="answers" aria-label={`Answers of ${operation.operationId}`}>
      <h4>Answers</h4>
      {Object.entries(operation.responses).map(([status, answer]) => (
        <details key={status} className="answer">
          <summary>
            <span className={`status status-${status.charAt(0)}`}>{status}</span>
            <span className="codes">
              {answer['x-codes'] ? answer['x-codes'].map(code => <code key={code}>{code}</code>) : answer.description}
            </span>
          </summary>
          <Details api={api} status={status} answer={answer} />
        </details>
      ))}
    </section>
  );
}

function Details(props: { readonly api: OpenApi; readonly status: string; readonly answer: Answer }): ReactNode {
  const { api, status, answer } = props;
  const { schema, examples } = bodyOf(answer.content);
  const codes = answer['x-codes'] ?? [];
  return (
    <div className="answer-body">
      {codes.length > 0 && (
        <p>
          How to mend it:{' '}
          {codes.map((code, index) => (
            <span key={code}>
              {index > 0 && ', '}
              <a href={`#${code}`}>{code}</a>
            </span>
          ))}
        </p>
      )}
      {status === '200' && schema && <Fields api={api} schema={schema} title="Body" isAnswer />}
      {examples.map(([name, { summary, value }]) => {
        const text = JSON.stringify(value, null, 2);
        return (
          <Block
            key={name}
            title={summary ?? name}
            actions={<Copy text={text} of={`the answer: ${summary ?? name}`} />}
          >
            <Code text={text} />
          </Block>
        );
      })}
      <h5>Headers</h5>
      <dl className="headers">
        {Object.keys(answer.headers ?? {}).map(name => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <Words text={api.components.headers[name]?.description ?? ''} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
