/** Code that verifies a signature, in three languages: the code of docs/webhooks.md, run by tests. */
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import blocks from '../../../../../../docs/webhooks.md?code';
import { Code } from '../code.tsx';

/** The languages by what docs call them. */
const LANGUAGES = { js: 'Node', python: 'Python', php: 'PHP' } as const;

/** The code, a language at a time. */
export function Snippets(): ReactNode {
  const checks = blocks.filter(({ text }) => /verify_?webhook/i.test(text));
  return (
    <Tabs defaultValue="js" color="gray">
      <Tabs.List aria-label="Language">
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <Tabs.Tab key={language} value={language}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(LANGUAGES).map(([language, name]) => (
        <Tabs.Panel key={language} value={language} pt="xs">
          <Code
            text={checks.find(block => block.language === language)?.text.trimEnd() ?? ''}
            label={`Copy the code for ${name}`}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
