/** A table of rows; at the width of a phone or a tablet each row is two lines: what happened, then the rest. */
import type { MouseEvent, ReactNode } from 'react';
import styles from './ui.module.css';

/** A column. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** Stands in the first line of a row that has two. */
  readonly isMain?: boolean;
}

/** Whether a click on a row is meant for the row: one on a link of it, or for another tab, is the browser's. */
function isOwnClick({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  return !(ctrlKey || metaKey || shiftKey || (target instanceof Element && target.closest('a, button')));
}

/** A table. `label` says what its rows are; with `open` a row opens by a click or Enter. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  open,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly open?: (row: Row) => void;
}): ReactNode {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ head, isNumber }) => (
            <th key={head} className={isNumber ? styles.right : undefined} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr
            key={keyOf(row)}
            {...(open && {
              className: styles.opens,
              tabIndex: 0,
              onClick: event => isOwnClick(event) && open(row),
              onKeyDown: event => event.key === 'Enter' && event.target === event.currentTarget && open(row),
            })}
          >
            {columns.map(({ head, cell, isNumber, isMain }) => (
              <td
                key={head}
                data-head={head}
                className={[isNumber && styles.right, isMain && styles.main].filter(Boolean).join(' ') || undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
