/** The dry run of a send: each channel in its turn, the connections that would take it, and why. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { channelWord } from '../../api/channels.ts';
import type { ConnectionVerdict, PreviewFragment } from '../../api/operations.generated.ts';
import { countryName } from '../../ui/region/phone-book.ts';
import { phoneWord } from '../../ui/words.ts';
import type { Draft, Kind } from './draft.ts';
import styles from './send.module.css';

type Leg = PreviewFragment['legs'][number];

/** The legs of a preview. */
export function DryRun({ preview, draft }: { readonly preview: PreviewFragment; readonly draft: Draft }): ReactNode {
  const { legs, country, recipient } = preview;
  return (
    <>
      <p className="quiet">
        To {phoneWord(recipient)}
        {country && ` (${countryName(country)})`}. {orderWord(legs.length, draft.isAll)}
      </p>
      <ol className={styles.legs}>
        {legs.map((leg, index) => (
          <li key={leg.channel}>
            <p>
              {legs.length > 1 && <span className="quiet numbers">{index + 1} </span>}
              <strong>{channelWord(leg.channel)}</strong> from {phoneWord(leg.from)}
            </p>
            <Taker leg={leg} kind={draft.kind} country={country ?? null} />
          </li>
        ))}
      </ol>
    </>
  );
}

function orderWord(count: number, isAll: boolean): string {
  if (count < 2) return '';
  return isAll
    ? 'All channels are asked at once; one that accepts is enough.'
    : 'The next channel is asked as soon as the one before fails.';
}

/** The connections or the sandbox that would take a leg, or its refusal. */
function Taker({ leg, kind, country }: { readonly leg: Leg; readonly kind: Kind; readonly country: string | null }) {
  if (leg.refusal !== null) return <p className={styles.refusal}>Refused before it is sent: {leg.refusal}</p>;
  if (leg.sentBy === 'SANDBOX')
    return (
      <p className="quiet">
        {leg.sandboxReason} It shows on the page <Link to="/phones">Sandbox phones</Link>, and no real phone is reached.
      </p>
    );
  const isEmpty = leg.connections.length === 0;
  const lack = (isEmpty || leg.sentBy === 'NOBODY') && (
    <p className={styles.refusal}>
      {isEmpty ? 'No provider is connected for this channel' : 'No connection takes this'}, so it fails with{' '}
      <code>no_route</code> and costs nothing. <Link to="/connections">Connections</Link>
    </p>
  );
  return (
    <>
      {lack}
      <ul className={styles.connections}>
        {leg.connections.map(({ connectionId, name, provider, verdict, reason }) => (
          <li key={connectionId} className={ASKED.has(verdict) ? undefined : 'quiet'}>
            <strong>{name}</strong> <span className="quiet">{provider}</span> {VERDICTS[verdict](kind, country)}
            {reason && <span className="quiet"> {reason}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

const ASKED: ReadonlySet<ConnectionVerdict> = new Set(['FIRST', 'FOLLOWS', 'SICK', 'TRIAL', 'DOWN']);

/** Why a connection is asked or not. */
const VERDICTS: Readonly<Record<ConnectionVerdict, (kind: Kind, country: string | null) => string>> = {
  FIRST: () => 'is asked first.',
  FOLLOWS: () => 'is next if the ones before it fail.',
  SICK: () => 'is sick, and is asked after those that are well.',
  TRIAL: () => 'is sick, and is tried again with this number.',
  DOWN: () => 'is down, and is asked last.',
  KNOWN_ONLY: () => 'is passed over for somebody new.',
  PAUSED: () => 'is not asked: it is paused.',
  UNUSABLE: () => 'is not asked: its config cannot be read.',
  COUNTRY: (_kind, country) =>
    `is not asked: ${country ? countryName(country) : 'the country'} is not among its countries.`,
  PURPOSE: kind => `is not asked: it does not send ${kind === 'otp' ? 'passcodes' : 'messages'}.`,
  NUMBER: () => 'is not asked: it has another number than the chat.',
};
