/** Rules as people say them. */
import type { AlertKind, AlertRulesQuery, AlertUnit } from '../../api/operations.generated.ts';
import { counted, shownNumber } from '../../ui/words.ts';

/** A rule as the list shows it. */
export type Rule = AlertRulesQuery['alertRules'][number];

/** A kind of rule, with what is offered for it. */
export type Offer = AlertRulesQuery['alertSettings']['offers'][number];

/** The kinds, in a choice. */
export const KIND_WORDS: Readonly<Record<AlertKind, string>> = {
  ENDPOINT_FAILING: 'A webhook endpoint fails',
  CONNECTION_DOWN: 'A connection is down',
  NUMBER_LOCKED: 'A linked number is locked',
  BALANCE_LOW: 'The balance is low',
  BALANCE_RUNS_OUT: 'The credits run out',
  CONVERSION_LOW: 'Few passcodes are verified',
  PASSCODES_BLOCKED: 'A burst of passcodes is refused',
};

/** Labels of the input of a threshold, by its unit. */
export const UNIT_LABELS: Readonly<Record<AlertUnit, string>> = {
  CREDITS: 'Below so many credits',
  DAYS: 'The credits last fewer days than',
  PERCENT: 'Fewer verified, in per cent, than',
  PASSCODES: 'Passcodes refused within an hour',
};

/** `The balance is below 100 credits`. */
export function ruleWord({ kind, threshold }: Pick<Rule, 'kind' | 'threshold'>): string {
  const value = threshold ?? 0;
  switch (kind) {
    case 'BALANCE_LOW':
      return `The balance is below ${counted(value, 'credit')}`;
    case 'BALANCE_RUNS_OUT':
      return `The credits last fewer than ${counted(value, 'day')}`;
    case 'CONVERSION_LOW':
      return `Fewer than ${value} % of passcodes are verified`;
    case 'PASSCODES_BLOCKED':
      return `The fraud guard refuses ${shownNumber(value)} passcodes or more within an hour`;
    default:
      return KIND_WORDS[kind];
  }
}

/** `5 min`, `2 h`, `1 day`. */
export function minutesWord(minutes: number): string {
  if (minutes >= 1_440 && minutes % 1_440 === 0) return counted(minutes / 1_440, 'day');
  return minutes >= 60 && minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}
