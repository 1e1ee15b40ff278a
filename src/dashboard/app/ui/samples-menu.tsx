/** The button that copies a question for a program. */
import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { LANGUAGES } from '../../samples.ts';
import { useCopy } from './copy/use-copy.ts';
import { Icon } from './icons.tsx';
import { type Asked, sampleOf } from './samples.ts';

/** `Copy as`: curl, TypeScript, Python or GraphQL. */
export function SamplesMenu({ asked }: { readonly asked: Asked }): ReactNode {
  const { copied, copy } = useCopy();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}>
          {copied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map(language => (
          <Menu.Item key={language} onClick={() => copy(sampleOf(language, asked))}>
            {language}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
