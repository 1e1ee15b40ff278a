/** Samples of a request: curl, TypeScript, Python, and the GraphQL that runs behind the path. */
import { areasOf, type Placed } from './document.ts';

/** The languages, in their order. */
export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'GraphQL'] as const;

/** A language. */
export type Language = (typeof LANGUAGES)[number];

/** A request of an operation. */
export interface Asked {
  readonly operation: Placed;
  /** The name of the example, for the variables of GraphQL. */
  readonly name: string;
  /** The body; of a GET, the parameters of the query string. */
  readonly value: unknown;
}

/** A request in a language. The token comes from the environment: no sample holds one. */
export function sampleOf(language: Language, asked: Asked): string {
  const { operation, name, value } = asked;
  const token = `HELIOGRAPH_${(areasOf(operation)[0] ?? 'unified').toUpperCase()}_TOKEN`;
  const body = operation.method === 'GET' ? null : value;
  const url = addressOf(operation, value);
  if (language === 'curl') return curl(url, token, body);
  if (language === 'TypeScript') return typescript(url, token, body);
  if (language === 'Python') return python(url, token, body);
  const { query = '', variables = {} } = operation['x-graphql'] ?? {};
  return `${query}\n\n# variables\n${JSON.stringify(variables[name] ?? {}, null, 2).replaceAll(/^/gm, '# ')}`;
}

/** The whole address of a request; the parameters of a GET stand in it. */
export function addressOf({ method, path }: Placed, value: unknown): string {
  const query = method === 'GET' ? new URLSearchParams(Object(value)).toString() : '';
  return `${location.origin}${path}${query === '' ? '' : `?${query}`}`;
}

function curl(url: string, token: string, body: unknown): string {
  const authorization = `-H "Authorization: Bearer $${token}"`;
  if (body === null) return `curl -s '${url}' \\\n  ${authorization}`;
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl -s ${url} \\\n  ${authorization} \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'`;
}

function typescript(url: string, token: string, body: unknown): string {
  const authorization = `authorization: \`Bearer \${process.env.${token}}\``;
  const options =
    body === null
      ? `  headers: { ${authorization} },`
      : `  method: 'POST',
  headers: {
    ${authorization},
    'content-type': 'application/json',
  },
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`;
  return `const response = await fetch('${url}', {
${options}
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.message);
console.log(answer);`;
}

function python(url: string, token: string, body: unknown): string {
  const authorization = `"Authorization": "Bearer " + os.environ["${token}"]`;
  const rest =
    body === null
      ? `    headers={${authorization}},`
      : `    data=json.dumps(${pythonOf(body).replaceAll('\n', '\n    ')}).encode(),
    headers={
        ${authorization},
        "Content-Type": "application/json",
    },`;
  return `import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    "${url}",
${rest}
)
try:
    answer = json.load(urllib.request.urlopen(request))
except urllib.error.HTTPError as error:
    answer = json.load(error)
print(answer)`;
}

/** A value as Python writes it. */
function pythonOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `    ${JSON.stringify(name)}: ${pythonOf(one).replaceAll('\n', '\n    ')},`,
  );
  return `{\n${members.join('\n')}\n}`;
}
