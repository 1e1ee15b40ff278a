/** Meta's checks of a message by a template: the template stands, and each placeholder has a value of its kind. */
import { GraphFault } from './errors.ts';
import type { SentComponent, SentParameter, SentTemplate } from './message-body.ts';
import type { GraphTemplate, TemplateButton, TemplatePart } from './options.ts';

/** The longest body with its values in place. */
const BODY_MAX = 1_024;

/** The longest code of an authentication template. */
const CODE_MAX = 15;

/** Kinds of values that a text takes. */
const TEXTUAL: readonly SentParameter['type'][] = ['text', 'currency', 'date_time'];

/** Throws the fault of a message that Meta would not send by what it has. @param hasNumber whether it goes to a number */
export function checkTemplate(known: readonly GraphTemplate[], sent: SentTemplate, hasNumber: boolean): GraphTemplate {
  const template = known.find(({ name, language }) => name === sent.name && language === sent.language.code);
  const isUsable = template !== undefined && template.status !== 'PENDING' && template.status !== 'REJECTED';
  if (!isUsable) throw new GraphFault(132001, `template name (${sent.name}) does not exist in ${sent.language.code}`);
  if (template.status === 'PAUSED') throw new GraphFault(132015);
  if (template.status === 'DISABLED') throw new GraphFault(132016);
  if (template.category === 'AUTHENTICATION' && !hasNumber) throw new GraphFault(131062);
  const components = sent.components ?? [];
  checkHeader(partOf(template, 'HEADER'), valuesOf(components, 'header'));
  checkBody(template, valuesOf(components, 'body'));
  checkButtons(partOf(template, 'BUTTONS')?.buttons ?? [], components);
  if (template.category === 'AUTHENTICATION') checkCode(components);
  return template;
}

/** The placeholders of a text, each once, in order. */
export function placeholdersIn(text = ''): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g)].map(([, name = '']) => name))];
}

function partOf({ components }: GraphTemplate, type: TemplatePart['type']): TemplatePart | undefined {
  return components.find(part => part.type === type);
}

function valuesOf(components: readonly SentComponent[], type: 'header' | 'body'): readonly SentParameter[] {
  const [found, second] = components.filter(one => one.type === type);
  if (second) throw new GraphFault(131009, `There are two components of the type ${type}.`);
  return found?.parameters ?? [];
}

function checkHeader(part: TemplatePart | undefined, values: readonly SentParameter[]): void {
  const format = (part?.format ?? 'TEXT').toLowerCase();
  if (format === 'text') {
    checkTexts('header', part?.text, values);
    return;
  }
  checkCount('header', 1, values.length);
  const [value] = values;
  if (value?.type !== format)
    throw new GraphFault(132012, `header: Format mismatch, expected ${part?.format}, received ${value?.type}`);
}

function checkBody(template: GraphTemplate, values: readonly SentParameter[]): void {
  const text = partOf(template, 'BODY')?.text ?? (template.category === 'AUTHENTICATION' ? '{{1}}' : '');
  checkTexts('body', text, values);
  const length = values.reduce((sum, value) => sum + (value.type === 'text' ? value.text.length : 0), text.length);
  if (length > BODY_MAX) throw new GraphFault(132005);
}

function checkTexts(where: string, text: string | undefined, values: readonly SentParameter[]): void {
  const placeholders = placeholdersIn(text);
  checkCount(where, placeholders.length, values.length);
  for (const value of values) {
    if (!TEXTUAL.includes(value.type))
      throw new GraphFault(132012, `${where}: Format mismatch, expected TEXT, received ${value.type.toUpperCase()}`);
    if (value.type === 'text') checkText(where, value.text);
  }
  const isNamed = placeholders.some(name => !/^[0-9]+$/.test(name));
  const names = values.map(value => ('parameter_name' in value ? value.parameter_name : undefined));
  const isWhole = isNamed ? placeholders.every(name => names.includes(name)) : names.every(name => name === undefined);
  if (!isWhole) throw new GraphFault(131009, `${where}: the names of the parameters are not those of the template`);
}

function checkCount(where: string, expected: number, given: number): void {
  if (expected === given) return;
  const details = `${where}: number of localizable_params (${given}) does not match the expected number of params (${expected})`;
  throw new GraphFault(132000, details);
}

function checkText(where: string, text: string): void {
  if (text === '') throw new GraphFault(131008, `${where}: a parameter of type text is missing text value`);
  if (/[\n\r\t]| {5}/.test(text))
    throw new GraphFault(132018, 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces');
}

function checkButtons(buttons: readonly TemplateButton[], components: readonly SentComponent[]): void {
  const sent = new Map<number, Extract<SentComponent, { readonly type: 'button' }>>();
  for (const one of components) {
    if (one.type !== 'button') continue;
    if (sent.has(one.index) || one.index >= buttons.length)
      throw new GraphFault(131009, `buttons: there is no button, or one already, at index ${one.index}`);
    sent.set(one.index, one);
  }
  for (const [index, button] of buttons.entries()) {
    const [subType, valueType] = expectedOf(button);
    const given = sent.get(index);
    const isOptional = button.type === 'QUICK_REPLY';
    if (!given && (subType === null || isOptional)) continue;
    const at = `buttons: Button at index ${index} of type ${button.type}`;
    if (!given) throw new GraphFault(131008, `${at} requires a parameter`);
    const [value, second] = given.parameters;
    if (given.sub_type !== subType || second || value?.type !== valueType)
      throw new GraphFault(132012, `${at} differs`);
  }
}

/** The parameter that a message needs for a button. Null: none, since the button is the same in all messages. */
function expectedOf({ type, url }: TemplateButton): [subType: string | null, value: string] {
  if (type === 'OTP') return ['url', 'text'];
  if (type === 'URL') return [placeholdersIn(url).length > 0 ? 'url' : null, 'text'];
  if (type === 'QUICK_REPLY') return ['quick_reply', 'payload'];
  return [type === 'COPY_CODE' ? 'copy_code' : null, 'coupon_code'];
}

/** The code stands in the body and in the button, short enough to be one. */
function checkCode(components: readonly SentComponent[]): void {
  const texts = components.flatMap(({ parameters: [value] }) => (value?.type === 'text' ? [value.text] : []));
  const [code = ''] = texts;
  if (code.length > CODE_MAX) throw new GraphFault(131009, `a code has at most ${CODE_MAX} characters`);
  if (texts.some(text => text !== code)) throw new GraphFault(131009, 'body and button have different codes');
}
