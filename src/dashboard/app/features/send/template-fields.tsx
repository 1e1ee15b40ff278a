/** The template of a cloud number, and until when free text goes in its place. */
import type { ReactNode } from 'react';
import type { Channel } from '../../api/operations.generated.ts';
import { ComponentsInput } from '../../frame/template/components-input.tsx';
import { TemplateInputs } from '../../frame/template/template-inputs.tsx';
import { windowWord } from '../../frame/template/window-word.ts';
import type { Draft, Sender } from './draft.ts';
import type { FormPart } from './faults.ts';
import styles from './send.module.css';
import type { PreviewState } from './use-preview.ts';

/** The fields. */
export function TemplateFields({
  channel,
  draft,
  change,
  faults,
  senders,
  state,
}: FormPart & {
  readonly channel: Channel;
  readonly senders: readonly Sender[];
  readonly state: PreviewState;
}): ReactNode {
  const number = senders.find(sender => sender.channel === channel && sender.approved);
  const isOtp = draft.kind === 'otp';
  const usual = isOtp ? number?.otpTemplate : null;
  const window = isOtp || number?.templateRequired !== false ? null : windowOf(channel, draft, state);
  return (
    <div>
      <TemplateInputs
        value={{ name: draft.cloudName, language: draft.cloudLanguage }}
        change={({ name, language }) =>
          change({
            ...(name !== undefined && { cloudName: name }),
            ...(language !== undefined && { cloudLanguage: language }),
          })
        }
        isForCodes={isOtp}
        usual={usual}
        components={draft.cloudComponents}
        name={{
          ...(usual && {
            placeholder: usual.name,
            description: `Empty: ${usual.name}, which the number has for codes`,
          }),
          onBlur: () => {
            faults.leave('cloudTemplate');
            faults.leave('cloudTemplate.name');
          },
          error: faults.of('cloudTemplate') ?? faults.of('cloudTemplate.name'),
        }}
        language={{
          onBlur: () => faults.leave('cloudTemplate.language'),
          error: faults.of('cloudTemplate.language'),
        }}
      >
        {!isOtp && (
          <ComponentsInput
            value={draft.cloudComponents}
            change={cloudComponents => change({ cloudComponents })}
            onBlur={() => faults.leave('cloudTemplate.components')}
            error={faults.of('cloudTemplate.components')}
          />
        )}
      </TemplateInputs>
      {window && <p className={styles.window}>{window}</p>}
    </div>
  );
}

/** The window of the recipient, as the dry run says; null: it says nothing of it. */
function windowOf(channel: Channel, draft: Draft, { preview, failure, isAddressed }: PreviewState): string | null {
  if (!isAddressed) return null;
  const leg = preview?.legs.find(one => one.channel === channel && one.connections.length > 0);
  if (leg) return windowWord(channel, leg.windowClosesAt);
  const isClosed = draft.cloudName === '' && failure?.faults.some(({ field }) => field === 'cloudTemplate');
  return isClosed ? windowWord(channel, null) : null;
}
