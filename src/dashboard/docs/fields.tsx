/** The tables of fields and parameters. */
import type { ReactNode } from 'react';
import { Words } from './code.tsx';
import { type Field, fieldsOf, limitsOf, type OpenApi, type Parameter, type Schema, wordOf } from './document.ts';

/** The fields of a body; those of an object below it. */
export function Fields(props: {
  readonly api: OpenApi;
  readonly schema: Schema;
  readonly title: string;
  /** Marks no field as required: an answer has all of them. */
  readonly isAnswer?: boolean;
}): ReactNode {
  return <Table title={props.title} rows={fieldsOf(props.api, props.schema)} isAnswer={props.isAnswer ?? false} />;
}

/** The parameters of a query string, or headers. */
export function Parameters(props: {
  readonly parameters: readonly Parameter[];
  readonly title: string;
  /** Marks none as required: the gateway always sends its headers. */
  readonly isAnswer?: boolean;
}): ReactNode {
  const rows = props.parameters.map(({ name, description, required, schema }) => ({
    key: name,
    name,
    depth: 0,
    type: wordOf(schema),
    isRequired: required ?? false,
    description: description ?? '',
    limits: limitsOf(schema),
  }));
  return <Table title={props.title} rows={rows} isAnswer={props.isAnswer ?? false} />;
}

function Table(props: {
  readonly title: string;
  readonly rows: readonly Field[];
  readonly isAnswer: boolean;
}): ReactNode {
  return (
    <table className="fields">
      <caption>{props.title}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map(row => (
          <tr key={row.key} className={`depth-${Math.min(row.depth, 3)}`}>
            <th scope="row">
              <code>{row.name}</code>
              {row.isRequired && !props.isAnswer && <span className="required">required</span>}
            </th>
            <td className="type">{row.type}</td>
            <td>
              {row.description !== '' && (
                <span className="meaning">
                  <Words text={row.description.replace(/\.$/, '')} />
                </span>
              )}
              {row.limits.map(limit => (
                <span key={limit} className="limit">
                  <Words text={limit} />
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
