/** Samples of a request for those who write programs. The token comes from the environment: no sample holds one. */

/** The languages, in their order. */
export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'GraphQL'] as const;

/** A language. */
export type Language = (typeof LANGUAGES)[number];

/** A request of a sample. */
export interface SampleRequest {
  readonly url: string;
  /** The area of the token that it needs. */
  readonly area: string;
  /** Of a POST; null: a GET. */
  readonly body: unknown;
}

/** A request in a language of programs. */
export function programOf(language: Exclude<Language, 'GraphQL'>, request: SampleRequest): string {
  return PROGRAMS[language](request, `HELIOGRAPH_${request.area.toUpperCase()}_TOKEN`);
}

/** A document of GraphQL, with its variables below it. */
export function documentOf(query: string, variables: unknown): string {
  return `${query.trim()}\n\n# variables\n${JSON.stringify(variables, null, 2).replaceAll(/^/gm, '# ')}\n`;
}

const PROGRAMS = {
  curl({ url, body }: SampleRequest, token: string): string {
    const authorization = `-H "Authorization: Bearer $${token}"`;
    if (body === null) return `curl -s '${url}' \\\n  ${authorization}\n`;
    const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
    return `curl -s ${url} \\\n  ${authorization} \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'\n`;
  },

  TypeScript({ url, body }: SampleRequest, token: string): string {
    const authorization = `authorization: \`Bearer \${process.env.${token}}\``;
    const options =
      body === null
        ? `  headers: { ${authorization} },`
        : `  method: 'POST',
  headers: { ${authorization}, 'content-type': 'application/json' },
  body: JSON.stringify(${literal(body, TYPESCRIPT, '  ')}),`;
    return `const response = await fetch('${url}', {
${options}
});
const answer = await response.json();
if (!response.ok) throw new Error(JSON.stringify(answer));
console.log(answer);
`;
  },

  Python({ url, body }: SampleRequest, token: string): string {
    const authorization = `"Authorization": "Bearer " + os.environ["${token}"]`;
    const rest =
      body === null
        ? `    headers={${authorization}},`
        : `    data=json.dumps(${literal(body, PYTHON, '    ')}).encode(),
    headers={${authorization}, "Content-Type": "application/json"},`;
    return `import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    "${url}",
${rest}
)
try:
    answer = json.load(urllib.request.urlopen(request))
except urllib.error.HTTPError as error:
    answer = json.load(error)
print(answer)
`;
  },
};

/** How a language writes values. */
interface Notation {
  readonly step: string;
  readonly words: Readonly<Record<string, string>>;
  /** A text of several lines. */
  readonly lines: (text: string) => string;
}

const TYPESCRIPT: Notation = {
  step: '  ',
  words: {},
  lines: text => `\`${text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')}\``,
};

const PYTHON: Notation = {
  step: '    ',
  words: { null: 'None', undefined: 'None', true: 'True', false: 'False' },
  lines: text => `"""${text.replaceAll(/[\\"]/g, '\\$&')}"""`,
};

/** A value of JSON as a literal, whose further lines are indented so far. */
function literal(value: unknown, notation: Notation, indent: string): string {
  const inner = indent + notation.step;
  const list = (open: string, items: readonly string[], close: string): string =>
    items.length === 0 ? open + close : `${open}\n${items.map(item => `${inner}${item},\n`).join('')}${indent}${close}`;
  if (typeof value === 'string') return value.includes('\n') ? notation.lines(value) : JSON.stringify(value);
  if (Array.isArray(value))
    return list(
      '[',
      value.map(item => literal(item, notation, inner)),
      ']',
    );
  if (typeof value === 'object' && value !== null)
    return list(
      '{',
      Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, notation, inner)}`),
      '}',
    );
  return notation.words[String(value)] ?? String(value);
}
