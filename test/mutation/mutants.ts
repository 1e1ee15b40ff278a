/** Small changes of a source, each of which a test should notice: of its code, and of the SQL in its templates. */

/** A change of a source. */
export interface Mutant {
  /** From 1. */
  readonly line: number;
  /** The whole line of the source. */
  readonly words: string;
  readonly from: string;
  readonly to: string;
  /** The whole source with the change. */
  readonly text: string;
}

/** A pattern and its replacement; undefined: none. The text before the match may decide. */
interface Rule {
  readonly pattern: RegExp;
  to(found: string, before: string): string | undefined;
}

const swapped =
  (pairs: Readonly<Record<string, string>>): Rule['to'] =>
  found =>
    pairs[found];

const BOUNDS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const SIGNS = { '+': '-', '-': '+', '*': '/', '/': '*' };
const ONE_MORE: Rule['to'] = found => String(Number(found.replaceAll('_', '')) + 1);

/** Operators have blanks around them: so the formatter writes them, and no type has. */
const CODE: readonly Rule[] = [
  { pattern: /(?<= )(<=|<|>=|>)(?= )/g, to: swapped(BOUNDS) },
  { pattern: /(?<= )(===|!==)(?= )/g, to: swapped({ '===': '!==', '!==': '===' }) },
  { pattern: /(?<= )(&&|\|\|)(?= )/g, to: swapped({ '&&': '||', '||': '&&' }) },
  { pattern: /(?<= )[-+*/](?= )/g, to: swapped(SIGNS) },
  { pattern: /!(?=[a-zA-Z(])/g, to: () => '' },
  { pattern: /\b(true|false)\b/g, to: swapped({ true: 'false', false: 'true' }) },
  {
    pattern: /\bMath\.(max|min|ceil)\b/g,
    to: swapped({ 'Math.max': 'Math.min', 'Math.min': 'Math.max', 'Math.ceil': 'Math.floor' }),
  },
  { pattern: /\.(some|every)(?=\()/g, to: swapped({ '.some': '.every', '.every': '.some' }) },
  { pattern: /(?<![\w.$])\d[\d_]*(?![\w.])/g, to: ONE_MORE },
];

const OPERAND = String.raw`[\w.>'-]+`;

const SQL: readonly Rule[] = [
  { pattern: /(?<= )(<=|<|>=|>)(?= )/g, to: swapped(BOUNDS) },
  // Comparisons alone: in other places `=` is a change of a column.
  {
    pattern: new RegExp(String.raw`(?<=\b(?:where|on|and|or|when) ${OPERAND} )(=|<>)(?= )`, 'g'),
    to: swapped({ '=': '<>', '<>': '=' }),
  },
  {
    pattern: /(?<= )and(?= )/g,
    to: (_found, before) => (/between (?:(?! and )[^()])*$/.test(before.slice(-60)) ? undefined : 'or'),
  },
  { pattern: /(?<= )or(?= )/g, to: () => 'and' },
  // A condition less.
  { pattern: new RegExp(` and ${OPERAND} (?:<=|<|>=|>|=|<>) ${OPERAND}(?=[\\s)])`, 'g'), to: () => '' },
  { pattern: /\bnot (?=[a-z(])/g, to: (_found, before) => (/\bis $/.test(before) ? undefined : '') },
  { pattern: /\bis (not )?null\b/g, to: found => (found === 'is null' ? 'is not null' : 'is null') },
  // All columns are no product.
  { pattern: /(?<= )(?<!select )[-+*/](?= )/g, to: swapped(SIGNS) },
  {
    pattern: /\b(greatest|least|max|min)(?=\()/g,
    to: swapped({ greatest: 'least', least: 'greatest', max: 'min', min: 'max' }),
  },
  { pattern: /\b(true|false)\b/g, to: swapped({ true: 'false', false: 'true' }) },
  {
    pattern: /(?<![\w.$:])\d+(?![\w.])/g,
    to: (found, before) => (/\b(group|order) by [^()]*$/.test(before.slice(-40)) ? undefined : ONE_MORE(found, before)),
  },
];

/** A part of a source: words and comments are none. */
interface Part {
  readonly kind: 'code' | 'template';
  readonly start: number;
  readonly end: number;
}

/** Finds the code and the templates of a source. A template ends where a value stands in it, and goes on behind. */
export function partsOf(source: string): Part[] {
  const parts: Part[] = [];
  const open: number[] = [];
  let depth = 0;
  let start = 0;
  let kind = 'code' as Part['kind'];
  const end = (at: number, next: Part['kind'], from: number): void => {
    parts.push({ kind, start, end: at });
    kind = next;
    start = from;
  };
  const skip = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    const to = pattern.test(source) ? pattern.lastIndex : source.length;
    end(at, 'code', to);
    return to - 1;
  };
  for (let at = 0; at < source.length; at++) {
    const two = source.slice(at, at + 2);
    const one = source[at];
    if (kind === 'template') {
      if (one === '\\') at += 1;
      else if (one === '`') end(at, 'code', at + 1);
      else if (two === '${') {
        open.push(depth);
        depth = 0;
        end(at, 'code', at + 2);
        at += 1;
      }
    } else if (two === '//') at = skip(/\n/g, at);
    else if (two === '/*') at = skip(/\*\//g, at);
    else if (one === "'" || one === '"') at = skip(one === "'" ? /(?<=[^\\]|^.)'/gs : /(?<=[^\\])"/gs, at + 1);
    else if (one === '`') end(at, 'template', at + 1);
    else if (one === '{') depth += 1;
    else if (one === '}' && depth === 0 && open.length > 0) {
      depth = open.pop() ?? 0;
      end(at, 'template', at + 1);
    } else if (one === '}') depth -= 1;
  }
  parts.push({ kind, start, end: source.length });
  return parts.filter(part => part.end > part.start);
}

/** Every mutant of a source, in the order of its lines. Templates are SQL where `isSql`, else words. */
export function mutantsOf(source: string, isSql: boolean): Mutant[] {
  const mutants: (Mutant & { readonly at: number })[] = [];
  for (const { kind, start, end } of partsOf(source)) {
    if (kind === 'template' && !isSql) continue;
    const rules = kind === 'code' ? CODE : SQL;
    for (const { pattern, to } of rules) {
      for (const { 0: found, index } of source.slice(start, end).matchAll(pattern)) {
        const at = start + index;
        const lineStart = source.lastIndexOf('\n', at) + 1;
        const isNone = /^\s*(--|import )/.test(source.slice(lineStart, at + 1));
        const put = isNone ? undefined : to(found, source.slice(0, at));
        if (put === undefined) continue;
        const line = source.slice(0, at).split('\n').length;
        mutants.push({
          at,
          line,
          words: source.slice(lineStart, source.indexOf('\n', at)).trim(),
          from: found,
          to: put,
          text: source.slice(0, at) + put + source.slice(at + found.length),
        });
      }
    }
  }
  return mutants.toSorted((a, b) => a.at - b.at);
}
