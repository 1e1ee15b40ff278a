/** The inputs of a template: names and languages are completed as far as they are known, and its text shows as it will look. */
import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { KnownTemplatesDocument, type KnownTemplatesQuery } from '../../api/operations.generated.ts';
import styles from './template.module.css';
import { TemplateStatus } from './template-status.tsx';

/** How long nothing must be typed before templates are asked for, in milliseconds. */
const REST_MS = 200;

/** The components of a template for codes, with a sample code for its preview. */
const CODE = { type: 'body', parameters: [{ type: 'text', text: '123456' }] };

type Template = KnownTemplatesQuery['cloudTemplates']['nodes'][number];

/** A template as it is typed. */
export interface TemplateKey {
  /** Empty: none. */
  readonly name: string;
  readonly language: string;
}

/** An input of the two. */
interface InputWords {
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly error?: string | null | undefined;
  readonly onBlur?: () => void;
  readonly 'data-autofocus'?: true;
}

/** The inputs. */
export function TemplateInputs({
  value,
  change,
  isForCodes = false,
  usual = null,
  components = '',
  name,
  language,
  children,
}: {
  readonly value: TemplateKey;
  readonly change: (parts: Partial<TemplateKey>) => void;
  /** Whether it is one of those for codes. */
  readonly isForCodes?: boolean;
  /** The template where none is named. */
  readonly usual?: TemplateKey | null | undefined;
  /** Its parameters, as JSON. */
  readonly components?: string;
  readonly name?: Partial<InputWords>;
  readonly language?: Partial<InputWords>;
  /** Stands between the inputs and the text. */
  readonly children?: ReactNode;
}): ReactNode {
  const meant = value.name === '' && usual ? usual : value;
  const known = useTemplates(meant.name, isForCodes, components);
  const named = known.filter(template => template.name === meant.name);
  const shown = named.find(template => template.language === meant.language);
  const choose = (chosen: string): void => {
    const [first, ...others] = known.filter(template => template.name === chosen);
    // A template with a single language leaves no choice.
    change({ name: chosen, ...(first && others.length === 0 && { language: first.language }) });
  };
  return (
    <div className={styles.pair}>
      <Autocomplete
        label="Template"
        placeholder="order_update"
        {...name}
        data={namesBut(
          value.name,
          known.map(template => template.name),
        )}
        classNames={{ option: styles.option ?? '' }}
        value={value.name}
        onChange={typed => choose(typed.trim())}
        autoComplete="off"
        spellCheck={false}
      />
      <Autocomplete
        label="Language"
        placeholder="en_US"
        {...language}
        data={namesBut(
          value.language,
          named.map(template => template.language),
        )}
        value={value.language}
        onChange={typed => change({ language: typed.trim() })}
        autoComplete="off"
        spellCheck={false}
      />
      {children}
      {shown && <Look template={shown} />}
    </div>
  );
}

/** The names, each once. One that is typed already is offered no more. */
function namesBut(typed: string, names: readonly string[]): string[] {
  return [...new Set(names)].filter(name => name !== typed);
}

/** The templates whose names hold what is typed, with their texts; none where they cannot be asked for. */
function useTemplates(typed: string, isForCodes: boolean, given: string): readonly Template[] {
  const [name] = useDebouncedValue(typed, REST_MS);
  const [json] = useDebouncedValue(given, REST_MS);
  const filter = { ...(name !== '' && { name }), ...(isForCodes && { category: 'AUTHENTICATION' }) };
  const components = isForCodes ? [CODE] : componentsOf(json);
  return useAnswer(KnownTemplatesDocument, { filter, components }).data?.cloudTemplates.nodes ?? [];
}

/** None: the JSON is none, or not that of components. */
function componentsOf(json: string): Record<string, unknown>[] {
  try {
    const components: unknown = JSON.parse(json);
    return Array.isArray(components) ? components.filter(one => typeof one === 'object' && one !== null) : [];
  } catch {
    return [];
  }
}

/** The text as it will look. */
function Look({ template: { status, preview } }: { readonly template: Template }): ReactNode {
  return (
    <figure className={styles.look} aria-label="The text of the template">
      {preview && <blockquote>{preview}</blockquote>}
      {status !== 'APPROVED' && <TemplateStatus status={status} />}
    </figure>
  );
}
