import { describe, expect, it } from 'vitest';
import { findImportFaults } from '../support/rules/import-rules.ts';
import { findOperationFaults } from '../support/rules/page-rules.ts';
import { readPages, readSources } from '../support/rules/sources.ts';

it('no source file imports against the direction of the architecture', () => {
  expect(findImportFaults(readSources())).toEqual([]);
});

it('each feature asks by its own operations, and by those of the floors below it', () => {
  expect(findOperationFaults(readPages())).toEqual([]);
});

it('nothing but the log, figures, summaries, the audit trail and the request log is read from a replica', () => {
  const readers = [...readSources()].filter(([, text]) => text.includes("/reading/reading.ts'")).map(([path]) => path);
  expect(readers.filter(path => !/^src\/modules\/(logs|figures|otp\/reports|requests|audit)\//.test(path))).toEqual([]);
  expect(readers.length).toBeGreaterThan(5);
});

function faultsOf(samples: Record<string, string>): string[] {
  return findImportFaults(new Map(Object.entries(samples)));
}

describe('the check of imports notices', () => {
  it.each([
    ['src/kernel/a.ts', `import { x } from '../db/b.ts';`, 'kernel may not import db'],
    ['src/db/a.ts', `import { x } from '../queue/b.ts';`, 'db may not import queue'],
    ['src/channels/sandbox/a.ts', `import { x } from '../../context.ts';`, 'channels may not import context'],
    ['src/context.ts', `import type { X } from './modules/otp/b.ts';`, 'context may not import modules'],
    ['src/modules/otp/a.ts', `import { x } from '../../graphql/b.ts';`, 'modules may not import graphql'],
    ['src/modules/otp/a.ts', `export { x } from '../../rest/b.ts';`, 'modules may not import rest'],
    ['src/modules/otp/a.ts', `export * from '../../config.ts';`, 'modules may not import config'],
    ['src/modules/otp/a.ts', `export type X = import('../../worker/b.ts').X;`, 'modules may not import worker'],
    ['src/rest/a.ts', `import { x } from '../graphql/b.ts';`, 'rest may not import graphql'],
    ['src/graphql/a.ts', `import { x } from '../app.ts';`, 'graphql may not import app'],
    ['src/worker/a.ts', `const { x } = await import('../rest/b.ts');`, 'worker may not import rest'],
    ['src/app.ts', `import { x } from './main.ts';`, 'app may not import main'],
    ['src/app.ts', `import { x } from './cli/b.ts';`, 'app may not import cli'],
    ['src/cli/a.ts', `import '../main.ts';`, 'cli may not import main'],
    ['src/cli/a.ts', `import { x } from '../client/b.ts';`, 'cli may not import client'],
    ['src/client/a.ts', `import { x } from '../kernel/b.ts';`, 'client may not import kernel'],
    ['src/rest/a.ts', `import { x } from '../dashboard/b.ts';`, 'in no room of the server'],
    ['src/rest/a.ts', `import { x } from '../../test/support/b.ts';`, 'in no room of the server'],
    ['src/rest/a.ts', `import { x } from '#kernel/b.ts';`, 'path alias'],
    ['src/helpers.ts', 'export const x = 1;', 'no room of the architecture'],
    ['src/modules/otp/a.ts', `import { x } from '@mikro-orm/postgresql';`, 'outside of src/db'],
    ['src/queue/a.ts', `import type { x } from '@mikro-orm/pglite';`, 'outside of src/db'],
    ['src/modules/otp/a.ts', `import { x } from 'graphql';`, 'graphql in modules'],
    ['src/modules/otp/a.ts', `import { x } from 'graphql-yoga';`, 'graphql-yoga in modules'],
    ['src/kernel/a.ts', `import { x } from '@pothos/core';`, '@pothos/core in kernel'],
    ['src/channels/sms/a.ts', `import { x } from 'hono/http-exception';`, 'hono/http-exception in channels'],
    ['src/modules/otp/a.ts', `import { x } from '@hono/zod-openapi';`, '@hono/zod-openapi in modules'],
    ['src/kernel/a.ts', `import { x } from '@mikro-orm/core';`, 'in a pure file'],
    ['src/modules/otp/route.policy.ts', `import { x } from '@mikro-orm/core';`, 'in a pure file'],
    ['src/kernel/a.ts', 'export default 1;', 'default export'],
    ['src/kernel/a.ts', 'const x = 1;\nexport { x as default };', 'default export'],
    ['src/kernel/index.ts', 'export const x = 1;', 'index file'],
    ['src/dashboard/a.tsx', `import { x } from '../kernel/b.ts';`, 'the dashboard may not import'],
    ['src/dashboard/a.ts', `import { x } from './docs/b.ts';`, 'shared may not import docs'],
    ['src/dashboard/docs/a.ts', `import { x } from '../app/ui/b.ts';`, 'docs may not import ui'],
    ['src/dashboard/app/ui/a.ts', `import type { X } from '../api/b.ts';`, 'ui may not import api'],
    ['src/dashboard/app/api/a.ts', `import { x } from '../frame/b.ts';`, 'api may not import frame'],
    [
      'src/dashboard/app/frame/a.ts',
      `const { x } = await import('../features/send/b.ts');`,
      'may not import features/send',
    ],
    ['src/dashboard/app/frame/a.ts', `import { x } from '../main.tsx';`, 'frame may not import app'],
    ['src/dashboard/app/features/logs/a.ts', `import type { X } from '../send/b.ts';`, 'may not import features/send'],
    [
      'src/dashboard/app/features/logs/a.ts',
      `import s from '../send/send.module.css';`,
      'may not import features/send',
    ],
  ])('%s with %j', (path, text, fault) => {
    expect(faultsOf({ [path]: text })).toEqual([expect.stringContaining(fault)]);
  });

  it('a cycle between modules, however long, and tells it once', () => {
    const samples = {
      'src/modules/billing/a.ts': `import { x } from '../otp/a.ts';`,
      'src/modules/messaging/a.ts': `import { x } from '../billing/b.ts';`,
      'src/modules/otp/a.ts': `import type { X } from '../messaging/a.ts';`,
    };
    expect(faultsOf(samples)).toEqual(['modules in a cycle: billing → otp → messaging → billing']);
  });

  it('a circle between files, also of types alone', () => {
    const samples = {
      'src/db/a.ts': `import type { X } from './sub/b.ts';`,
      'src/db/sub/b.ts': `import { x } from '../c.ts';`,
      'src/db/c.ts': `import { x } from './a.ts';\nimport { y } from './d.ts';`,
      'src/db/d.ts': `export const y = 1;`,
    };
    expect(faultsOf(samples)).toEqual(['files in a cycle: src/db/a.ts → src/db/sub/b.ts → src/db/c.ts → src/db/a.ts']);
  });

  it('a circle between a feature and its part, of a type', () => {
    const samples = {
      'src/dashboard/app/features/send/a.tsx': `import { B } from './b.tsx';`,
      'src/dashboard/app/features/send/b.tsx': `import type { Row } from './a.tsx';`,
    };
    expect(faultsOf(samples)).toEqual([
      expect.stringContaining('files in a cycle: src/dashboard/app/features/send/a.tsx →'),
    ]);
  });

  it('an operation of another feature, a fragment of another feature, and what nothing uses', () => {
    const samples = {
      'src/dashboard/app/features/logs/a.graphql':
        'query Log {\n  a\n}\n\nfragment Row on A {\n  a\n}\n\nfragment Old on A {\n  a\n}\n',
      'src/dashboard/app/features/logs/a.ts': `import { LogDocument } from '../../api/operations.generated.ts';`,
      'src/dashboard/app/features/send/a.ts': `import {\n  type A,\n  type LogQuery,\n} from '../../api/operations.generated.ts';`,
      'src/dashboard/app/frame/a.graphql': 'query Frame {\n  ...Row\n}\n',
      'src/dashboard/app/features/send/b.ts': `import { FrameDocument } from '../../api/operations.generated.ts';`,
    };
    expect(findOperationFaults(new Map(Object.entries(samples)))).toEqual([
      'src/dashboard/app/features/send/a.ts: Log is of features/logs, not of features/send',
      'src/dashboard/app/frame/a.graphql: Row is of features/logs, not of frame',
      'src/dashboard/app/features/logs/a.graphql: nothing uses Old',
    ]);
  });
});

describe('the check of imports allows', () => {
  it.each([
    ['src/kernel/a.ts', `import { x } from './b.ts';\nimport { y } from 'zod';`],
    ['src/db/migrations/migration-1.ts', 'export default 1;'],
    ['src/db/a.ts', `import { x } from '@mikro-orm/postgresql';\nimport { y } from '../kernel/b.ts';`],
    ['src/modules/otp/a.ts', `import { x } from '../messaging/a.ts';\nimport { y } from '../../context.ts';`],
    ['src/graphql/a.ts', `import { x } from 'graphql';\nimport { y } from '../modules/otp/a.ts';`],
    ['src/cli/a.ts', `import { x } from '../app.ts';\nimport { y } from '../config.ts';`],
    ['src/app.ts', `import { x } from './rest/a.ts';\nimport { y } from '../mikro-orm.config.ts';`],
    ['src/rest/a.ts', `import info from '../../package.json' with { type: 'json' };`],
    ['src/start.js', `import('./main.ts');`],
    ['src/dashboard/a.tsx', `import { x } from './b.ts';\nexport default x;`],
    ['src/dashboard/app/routes.tsx', `const { x } = await import('./features/send/send.tsx');`],
    [
      'src/dashboard/app/features/send/a.tsx',
      `import type { X } from '../../api/b.ts';\nimport { y } from './c/d.ts';`,
    ],
    ['src/dashboard/app/api/a.ts', `import type { X } from '../ui/b.ts';\nimport { y } from '../../c.ts';`],
    ['src/kernel/a.ts', `// import '../app.ts'\nexport const x = "import '../app.ts'";`],
  ])('%s with %j', (path, text) => {
    expect(faultsOf({ [path]: text })).toEqual([]);
  });
});
