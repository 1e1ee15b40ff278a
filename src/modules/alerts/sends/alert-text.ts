/** The texts of an alert, for mail and chat. Pure. */
import type { Letter } from '../../../mail/mail.ts';
import { KINDS, type ToldAlert, wordsOf } from '../alert-kinds.ts';

/** An alert for one address. */
export interface AddressedAlert extends ToldAlert {
  /** The name of the account. */
  readonly account: string;
  /** The mailbox, or the host of the URL. */
  readonly target: string;
  readonly since: Date;
  /** When it was told. */
  readonly at: Date;
  /** Whether nothing is wrong, and somebody tries the way. */
  readonly isTest?: boolean;
}

/** The sentence of an alert; a test is marked as one. */
export function saidOf(alert: Omit<AddressedAlert, 'target'>): string {
  return `${alert.isTest ? 'Test, nothing is wrong: ' : ''}${wordsOf(alert)}`;
}

/** A time as a sentence has it: `24 Nov 2026, 12:40 UTC`. */
function shownTime(time: Date): string {
  const text = time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return `${text} UTC`;
}

function sinceOf({ isRaised, since }: AddressedAlert): string {
  return isRaised ? `Since ${shownTime(since)}.` : `It had been so since ${shownTime(since)}.`;
}

/** The mail of an alert. @param publicUrl the address of the gateway, for its links */
export function letterOf(alert: AddressedAlert, publicUrl: string): Letter {
  const words = saidOf(alert);
  return {
    to: alert.target,
    subject: `${alert.account}: ${words.replace(/\.$/, '')}`,
    text: [
      words,
      sinceOf(alert),
      '',
      `More: ${publicUrl}${KINDS[alert.kind].page(alert.at)}`,
      '',
      `You get this because a rule of the account ${alert.account} names your address: ${publicUrl}/dashboard/alerts`,
      '',
    ].join('\n'),
  };
}

/** The text of an alert for a Slack-compatible URL. Names are escaped, so that they are no markup and mention nobody. */
export function slackTextOf(alert: AddressedAlert, publicUrl: string): string {
  const words = `${alert.account}: ${saidOf(alert)} ${sinceOf(alert)}`;
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `${escaped} ${publicUrl}${KINDS[alert.kind].page(alert.at)}`;
}
