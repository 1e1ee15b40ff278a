/**
 * Keeps closures of packages in the young generation. V8 makes a function literal that is assigned to a property in the old generation
 * (`CheckAssigningFunctionLiteralToProperty` of its parser), as most of those are methods. A closure of one request would then keep all of the
 * request until the old generation is collected. GraphQL makes one for each operation, and pg one for each query.
 */
import type { Plugin, Visitor } from 'vite';

/** Writes `a.b = () => {}` as `a.b = (0, () => {})`, which V8 takes for no method. `visitor` is Vite's: to import Vite starts threads. */
export function youngClosures(visitor: typeof Visitor): Plugin {
  return {
    name: 'young-closures',
    // The last hook: the bundler prints code anew before it, and would write `(0, a)` as `a`.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const added: { readonly at: number; readonly text: string }[] = [];
        const visited = new visitor({
          AssignmentExpression({ left, right }) {
            const isLiteral = right.type === 'ArrowFunctionExpression' || right.type === 'FunctionExpression';
            if (left.type !== 'MemberExpression' || !isLiteral) return;
            added.push({ at: right.start, text: '(0, ' }, { at: right.end, text: ')' });
          },
        });
        visited.visit(this.parse(file.code));
        file.code = insert(file.code, added);
      }
    },
  };
}

function insert(code: string, added: readonly { readonly at: number; readonly text: string }[]): string {
  let from = 0;
  const parts = added
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, text }) => {
      const part = code.slice(from, at) + text;
      from = at;
      return part;
    });
  return parts.join('') + code.slice(from);
}
