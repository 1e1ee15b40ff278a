/** The channels in order of preference, each with its own fields: dragged, or moved by the arrow keys. */
import { ActionIcon, Button, Menu, SegmentedControl, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { CHANNELS } from '../../api/channels.generated.ts';
import { channelWord } from '../../api/channels.ts';
import type { Channel } from '../../api/operations.generated.ts';
import { Icon } from '../../ui/icons.tsx';
import { ChannelFields } from './channel-fields.tsx';
import { defaultSender, type Sender } from './draft.ts';
import type { FormPart } from './faults.ts';
import styles from './send.module.css';
import type { PreviewState } from './use-preview.ts';

/** The list. */
export function ChannelList({
  draft,
  change,
  faults,
  senders,
  state,
}: FormPart & { readonly senders: readonly Sender[]; readonly state: PreviewState }): ReactNode {
  const { channels } = draft;
  const [said, say] = useState('');
  const dragged = useRef<Channel | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const move = (channel: Channel, to: number): void => {
    if (to < 0 || to >= channels.length || channels[to] === channel) return;
    const others = channels.filter(other => other !== channel);
    change({ channels: others.toSpliced(to, 0, channel) });
    say(`${channelWord(channel)} is now ${to + 1} of ${channels.length}`);
  };
  return (
    <fieldset className={styles.channels}>
      <legend>Channels</legend>
      <ol ref={list}>
        {channels.map((channel, index) => (
          <li
            key={channel}
            className={styles.channel}
            data-channel={channel}
            onDragOver={event => dragged.current && event.preventDefault()}
            onDragEnter={() => dragged.current && move(dragged.current, index)}
            onDrop={event => event.preventDefault()}
          >
            <div className={styles.channelHead}>
              {channels.length > 1 && (
                <Handle
                  channel={channel}
                  move={step => move(channel, index + step)}
                  drag={isOn => {
                    dragged.current = isOn ? channel : null;
                  }}
                />
              )}
              <strong>
                {channels.length > 1 && <span className="quiet numbers">{index + 1} </span>}
                {channelWord(channel)}
              </strong>
              <span className={styles.channelButtons}>
                {channels.length > 1 && (
                  <span className={styles.arrows}>
                    <Step
                      label={`Move ${channelWord(channel)} up`}
                      icon="up"
                      isOff={index === 0}
                      go={() => move(channel, index - 1)}
                    />
                    <Step
                      label={`Move ${channelWord(channel)} down`}
                      icon="down"
                      isOff={index === channels.length - 1}
                      go={() => move(channel, index + 1)}
                    />
                  </span>
                )}
                {channels.length > 1 && (
                  <Step
                    label={`Remove ${channelWord(channel)}`}
                    icon="close"
                    go={() => {
                      change({ channels: channels.filter(other => other !== channel) });
                      say(`${channelWord(channel)} is removed`);
                      list.current?.querySelector('button')?.focus();
                    }}
                  />
                )}
              </span>
            </div>
            <ChannelFields
              channel={channel}
              draft={draft}
              change={change}
              faults={faults}
              senders={senders}
              state={state}
            />
          </li>
        ))}
      </ol>
      <div className={styles.channelsEnd}>
        <AddChannel
          channels={channels}
          senders={senders}
          add={channel => change({ channels: [...channels, channel] })}
        />
        {channels.length > 1 && (
          <SegmentedControl
            aria-label="How the channels are used"
            data={[
              { value: 'FALLBACK', label: 'One after another' },
              { value: 'ALL', label: 'All at once' },
            ]}
            value={draft.isAll ? 'ALL' : 'FALLBACK'}
            onChange={mode => change({ isAll: mode === 'ALL' })}
          />
        )}
      </div>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </fieldset>
  );
}

/** The handle by which a channel is dragged; the arrow keys move it too. */
function Handle({
  channel,
  move,
  drag,
}: {
  readonly channel: Channel;
  readonly move: (step: number) => void;
  readonly drag: (isOn: boolean) => void;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: Firefox drags no button
    <span
      role="button"
      tabIndex={0}
      className={styles.handle}
      aria-label={`Move ${channelWord(channel)} with the arrow keys`}
      title="Drag, or press ↑ or ↓"
      draggable
      onDragStart={event => {
        const row = event.currentTarget.closest('li');
        if (row) event.dataTransfer.setDragImage(row, 8, 16);
        event.dataTransfer.effectAllowed = 'move';
        drag(true);
      }}
      onDragEnd={() => drag(false)}
      onKeyDown={event => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        move(event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <Icon name="drag" />
    </span>
  );
}

function Step({
  label,
  icon,
  go,
  isOff = false,
}: {
  readonly label: string;
  readonly icon: 'up' | 'down' | 'close';
  readonly go: () => void;
  readonly isOff?: boolean;
}): ReactNode {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} title={label} disabled={isOff} onClick={go}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
}

/** The way to another channel; one without a sender says so. */
function AddChannel({
  channels,
  senders,
  add,
}: {
  readonly channels: readonly Channel[];
  readonly senders: readonly Sender[];
  readonly add: (channel: Channel) => void;
}): ReactNode {
  const free = CHANNELS.filter(channel => !channels.includes(channel));
  if (free.length === 0) return <span />;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="subtle" color="gray" leftSection={<Icon name="plus" size={14} />}>
          Add channel
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {free.map(channel => {
          const hasSender = defaultSender(senders, channel) !== '';
          return (
            <Menu.Item key={channel} disabled={!hasSender} onClick={() => add(channel)}>
              {channelWord(channel)}
              {!hasSender && <span className="quiet"> – no approved sender yet</span>}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
