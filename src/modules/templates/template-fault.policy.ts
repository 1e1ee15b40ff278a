/** Reasons against sending by a template. Pure. */
import type { TemplateFault, TemplateKey } from '../../kernel/process/cloud-templates.ts';

/** A template as it was told last. */
export interface KnownTemplate extends TemplateKey {
  readonly category: string;
  readonly status: string;
  readonly reason?: string | null | undefined;
}

/** The statuses by which nothing goes, with their words. With any other one the provider is asked. */
const FAULTS: ReadonlyMap<string, readonly [code: TemplateFault['code'], words: string]> = new Map([
  ['PAUSED', ['template_paused', 'is paused']],
  ['REJECTED', ['template_rejected', 'was rejected']],
  ['DISABLED', ['template_disabled', 'is disabled']],
]);

/** The category and the status of a template by which codes go. */
const OTP_CATEGORY = 'AUTHENTICATION';
const USABLE = 'APPROVED';

/** How many templates a sentence names. */
const NAMED_MAX = 10;

/** Why nothing can be sent by a template. @param known all languages of its name; none: nobody knows it, and the provider is asked */
export function faultOf(known: readonly KnownTemplate[], language: string): TemplateFault | null {
  const [first] = known;
  if (!first) return null;
  const template = known.find(one => one.language === language);
  if (!template) {
    const message = `The template ${first.name} is not there in ${language}, but in ${namesOf(known.map(one => one.language))}.`;
    return { code: 'template_missing', message };
  }
  const fault = FAULTS.get(template.status);
  if (!fault) return null;
  const [code, words] = fault;
  return { code, message: `The template ${template.name} (${language}) ${words}${reasonOf(template)}.` };
}

/** As `CloudTemplates.otpFaultOf`. @param known all templates of the connections */
export function otpFaultOf(
  known: readonly KnownTemplate[],
  { name, language }: TemplateKey,
): { readonly field: keyof TemplateKey; readonly message: string } | null {
  if (known.length === 0) return null;
  const named = known.filter(one => one.name === name);
  const found = named.filter(one => one.language === language);
  if (found.some(isForCodes)) return null;
  const [first] = found;
  if (first) {
    const is = `is ${first.category} and ${first.status}${reasonOf(first)}`;
    return { field: 'name', message: `${is}: a template for codes is ${OTP_CATEGORY} and ${USABLE}` };
  }
  if (named.length > 0)
    return {
      field: 'language',
      message: `must be one in which it is there: ${namesOf(named.map(one => one.language))}`,
    };
  const usable = known.filter(isForCodes).map(one => `${one.name} (${one.language})`);
  const there = usable.length === 0 ? 'there is none for codes yet' : `there is ${namesOf(usable)}`;
  return { field: 'name', message: `is no template of the number: ${there}` };
}

/** As `CloudTemplates.otherCategoryOf`. @param named all templates of the name */
export function otherCategoryOf(named: readonly KnownTemplate[]): string | null {
  // Two businesses may have a template of one name, and one may have it in several languages.
  if (named.some(({ category }) => category === OTP_CATEGORY)) return null;
  return named[0]?.category ?? null;
}

function isForCodes({ category, status }: KnownTemplate): boolean {
  return category === OTP_CATEGORY && status === USABLE;
}

/** The word of the provider in brackets, where it has one. */
function reasonOf({ reason }: KnownTemplate): string {
  return reason == null ? '' : ` (${reason})`;
}

function namesOf(names: readonly string[]): string {
  const some = [...new Set(names)].sort();
  const more = some.length - NAMED_MAX;
  return `${some.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
