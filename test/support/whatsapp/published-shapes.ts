/** Meta's own description of its API (github.com/facebook/openapi, `business-messaging-api_v23.0.yaml`): not kept here, read where somebody has it. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';

/** Checks values against what was published. */
export interface PublishedShapes {
  /** The faults of a value against a named shape; empty: it fits. */
  faultsOf(shape: string, value: unknown): string[];
  /** The faults of an answer against the published one to a request. @param path as published: `/{Version}/{WABA-ID}/message_templates` */
  faultsOfAnswer(path: string, method: 'get' | 'post', value: unknown): string[];
}

/** The file of the description. Null: nobody named one, and why tests are skipped is printed. */
export function publishedFile(): string | null {
  const { META_OPENAPI: file } = process.env;
  if (!file) console.info('Tests are skipped: META_OPENAPI names no file of the description that Meta has published.');
  return file || null;
}

/** Reads the description. */
export async function readShapes(file: string): Promise<PublishedShapes> {
  const validator = new Validator();
  // The file has a member that no OpenAPI knows. The shapes are read all the same.
  await validator.validate(file);
  const { components, paths } = read.parse(JSON.parse(JSON.stringify(validator.specification, withoutNot)));
  const $defs = inbound(components.schemas);
  const faults = (schema: object, value: unknown) => {
    const { error } = z.fromJSONSchema(localised({ ...schema, $defs })).safeParse(value);
    return error ? z.prettifyError(error).split('\n') : [];
  };
  return {
    faultsOf: (shape, value) => ($defs[shape] ? faults({ $ref: `#/$defs/${shape}` }, value) : [`no shape ${shape}`]),
    faultsOfAnswer(path, method, value) {
      const schema = paths[path]?.[method]?.responses?.['200']?.content?.['application/json']?.schema;
      return schema ? faults(schema, value) : [`no answer to ${method} ${path}`];
    },
  };
}

const shape = z.record(z.string(), z.json());
const read = z.object({
  components: z.object({ schemas: z.record(z.string(), shape) }),
  paths: z.record(z.string(), z.record(z.string(), z.any())),
});

/** Names are given twice where messages go out and come in; `_1` and `_2` are those that come in. */
function inbound(schemas: Readonly<Record<string, object>>): Record<string, object> {
  const second = (name: string) => schemas[`${name}_2`] ?? schemas[`${name}_1`];
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, second(name) ?? schema]));
}

/** A shape says by `not` what another one requires: each is told apart by its members anyhow. */
function withoutNot(name: string, value: unknown): unknown {
  return name === 'not' ? undefined : value;
}

function localised(schema: object): z.core.JSONSchema.JSONSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));
}
