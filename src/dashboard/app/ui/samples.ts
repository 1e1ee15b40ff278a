/** Samples that ask the gateway the same from a program: GraphQL, curl, TypeScript and Python. */

/** A question with the names of its variables put to their values. */
export interface Asked {
  /** The document. */
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The area of the token that it needs. */
  readonly area: 'unified' | 'management';
}

/** The languages of the samples, in their order. */
export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'GraphQL'] as const;

/** A language. */
export type Language = (typeof LANGUAGES)[number];

/** A question in a language. The token comes from the environment: no sample holds one. */
export function sampleOf(language: Language, { query, variables, area }: Asked): string {
  const url = `${location.origin}/graphql`;
  const token = `HELIOGRAPH_${area.toUpperCase()}_TOKEN`;
  const body = JSON.stringify({ query: oneLine(query), variables });
  const shown = JSON.stringify(variables, null, 2);
  if (language === 'GraphQL') return `${query.trim()}\n\n# variables\n${shown.replace(/^/gm, '# ')}\n`;
  if (language === 'curl')
    return `curl -s ${url} \\\n  -H "Authorization: Bearer $${token}" -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'\n`;
  if (language === 'TypeScript')
    return `const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.${token}}\`, 'content-type': 'application/json' },
  body: JSON.stringify({
    query: \`${query.trim().replaceAll('`', '\\`')}\`,
    variables: ${shown.replaceAll('\n', '\n    ')},
  }),
});
const { data, errors } = await response.json();
console.log(data, errors);
`;
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps({
        "query": """${query.trim()}""",
        "variables": json.loads(r'''${shown.replaceAll("'", '\\u0027')}'''),
    }).encode(),
    headers={"Authorization": "Bearer " + os.environ["${token}"], "Content-Type": "application/json"},
)
answer = json.load(urllib.request.urlopen(request))
print(answer)
`;
}

function oneLine(query: string): string {
  return query.trim().replaceAll(/\s+/g, ' ');
}
