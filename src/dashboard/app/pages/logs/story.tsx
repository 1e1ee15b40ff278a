/** The story of a message or a passcode. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LogRowFragment } from '../../api/operations.generated.ts';

/** The drawer beside the list. */
export function Story(props: {
  readonly id: string;
  readonly entry: LogRowFragment | null;
  readonly close: () => void;
}): ReactNode {
  return (
    <Drawer opened onClose={props.close} position="right" size={560} title={props.id}>
      {props.entry?.status}
    </Drawer>
  );
}
