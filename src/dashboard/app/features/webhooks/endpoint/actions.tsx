/** The actions on an endpoint. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { UpdateWebhookEndpointDocument, type WebhookEndpointRowFragment } from '../../../api/operations.generated.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { Icon } from '../../../ui/icons.tsx';

/** The actions that open a dialog. */
export type Dialog = 'test' | 'recover' | 'edit' | 'rotate' | 'redeliver' | 'delete';

/** The buttons. `open` opens a dialog. */
export function Actions({
  endpoint: { endpointId, status },
  open,
}: {
  readonly endpoint: WebhookEndpointRowFragment;
  readonly open: (dialog: Dialog) => void;
}): ReactNode {
  const update = useChange(UpdateWebhookEndpointDocument);
  const isPaused = status === 'PAUSED';
  const isDisabled = status === 'DISABLED';
  return (
    <>
      {update.error && <FailureNote failure={update.error} />}
      <Button onClick={() => open('test')}>Send test</Button>
      <Button variant="default" disabled={isDisabled} onClick={() => open('recover')}>
        Recover since …
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => open('edit')}>Edit …</Menu.Item>
          {!isDisabled && (
            <Menu.Item onClick={() => update.mutate({ input: { endpointId, paused: !isPaused } })}>
              {isPaused ? 'Resume' : 'Pause'}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => open('rotate')}>Rotate secret …</Menu.Item>
          <Menu.Item disabled={isDisabled} onClick={() => open('redeliver')}>
            Redeliver all given up …
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="var(--failed)" onClick={() => open('delete')}>
            Delete …
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
