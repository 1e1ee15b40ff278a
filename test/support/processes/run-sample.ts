/** Runs what pages show to be copied, as somebody would who pastes it into a terminal. */
import { execFile } from 'node:child_process';
import { REPOSITORY } from '../repository.ts';
import type { DemoGateway } from './gateway.ts';

/** The exit status and the output of a sample. */
export interface Ran {
  readonly status: number;
  readonly output: string;
}

type Demo = Pick<DemoGateway, 'url' | 'demo'>;

/** Runs a sample of a language with the tokens of the demo account in its environment. @param area the token of a GraphQL document, which names none */
export function runSample(gateway: Demo, language: string, sample: string, area: string): Promise<Ran> {
  if (language === 'GraphQL') return askGraphql(gateway, sample, area);
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    curl: ['sh', '-c', sample],
    TypeScript: [process.execPath, '--input-type=module', '-e', sample],
    Python: ['python3', '-c', sample],
  };
  const [program, ...args] = programs[language] ?? ['false'];
  const tokens = Object.entries(gateway.demo.tokens).map(([name, token]) => [
    `HELIOGRAPH_${name.toUpperCase()}_TOKEN`,
    token,
  ]);
  const env = { PATH: process.env.PATH, ...Object.fromEntries(tokens) };
  return new Promise(resolve => {
    execFile(program, args, { cwd: REPOSITORY, env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}

/** The document, with the variables that stand in the comment behind it. */
async function askGraphql({ url, demo }: Demo, sample: string, area: string): Promise<Ran> {
  const [query = '', comment = ''] = sample.split('# variables\n');
  const variables: unknown = JSON.parse(comment.replaceAll(/^# /gm, ''));
  const token = Object.entries(demo.tokens).find(([name]) => name === area)?.[1];
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const answer: { errors?: unknown } = await response.json();
  return { status: answer.errors ? 1 : 0, output: JSON.stringify(answer) };
}
