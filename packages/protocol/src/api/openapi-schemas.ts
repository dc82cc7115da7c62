import { z } from 'zod';
import type { JsonSchema } from '../json-schema.js';

/**
 * The schemas of an OpenAPI document, each under a name in `components.schemas`.
 *
 * A schema is generated twice: as what a caller may send, with optional fields for defaults, and as what Stoa
 * answers. If both are the same, they share one name. If they differ, the first is `NameInput`, and so is everything
 * that refers to it.
 */
export class NamedSchemas {
  readonly #names = new Map<z.ZodType, string>();
  readonly #taken = new Map<string, z.ZodType>();
  readonly #roots = { input: new Set<string>(), output: new Set<string>() };

  /** Ignores values that are not schemas, so that all exports of a module can be passed. */
  constructor(exported: Readonly<Record<string, unknown>>) {
    for (const [name, value] of Object.entries(exported)) {
      if (value instanceof z.ZodType && !this.#names.has(value)) this.#add(name, value);
    }
  }

  /** The name of a schema that requests or answers consist of; `name` unless it has one. */
  use(io: 'input' | 'output', schema: z.ZodType, name: string): SchemaUse {
    if (!this.#names.has(schema)) this.#add(name, schema);
    const known = this.#names.get(schema) ?? name;
    this.#roots[io].add(known);
    return { io, name: known };
  }

  components(): Components {
    const input = this.#generated('input');
    const output = this.#generated('output');
    const differing = differingNames(input, output);
    const inputName = (name: string) =>
      differing.has(name) && output.has(name) ? `${name}Input` : name;
    const schemas = new Map(output);
    for (const [name, schema] of input) {
      schemas.set(inputName(name), renamed(schema, inputName));
    }
    return {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      refTo: ({ io, name }) => ({ $ref: PREFIX + (io === 'input' ? inputName(name) : name) }),
    };
  }

  #add(name: string, schema: z.ZodType): void {
    if (this.#taken.has(name)) throw new Error(`Two schemas have the name ${name}`);
    this.#names.set(schema, name);
    this.#taken.set(name, schema);
  }

  /** Only the schemas that the roots need. */
  #generated(io: 'input' | 'output'): ReadonlyMap<string, JsonSchema> {
    const registry = z.registry<{ id: string }>();
    for (const [schema, id] of this.#names) registry.add(schema, { id });
    const { schemas } = z.toJSONSchema(registry, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      uri: (id) => PREFIX + id,
    });
    const all = withoutShared(schemas);
    const needed = new Map<string, JsonSchema>();
    const visit = (name: string) => {
      const schema = all.get(name);
      if (!schema || needed.has(name)) return;
      needed.set(name, schema);
      for (const other of refsOf(schema)) visit(other);
    };
    for (const name of this.#roots[io]) visit(name);
    return needed;
  }
}

export interface SchemaUse {
  readonly io: 'input' | 'output';
  readonly name: string;
}

interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly refTo: (use: SchemaUse) => JsonSchema;
}

const PREFIX = '#/components/schemas/';
const SHARED = '__shared';

/**
 * zod collects unnamed schemas that refer to themselves. Each gets a name here; those that are equal except for their
 * own name, such as every `z.json()`, become one.
 */
function withoutShared(schemas: Readonly<Record<string, JsonSchema>>): Map<string, JsonSchema> {
  const { [SHARED]: shared, ...named } = schemas;
  const definitions = Object.entries((shared?.['$defs'] ?? {}) as Record<string, JsonSchema>);
  const names = new Map<string, string>();
  const hoisted = new Map<string, JsonSchema>();
  const byShape = new Map<string, string>();
  const reference = (id: string) => `${SHARED}#/$defs/${id}`;
  for (const [id, schema] of definitions) {
    const shape = JSON.stringify(
      renamed(schema, (name) => (name === reference(id) ? 'itself' : name)),
    );
    const known = byShape.get(shape) ?? (isJson(schema) ? 'JsonValue' : `Recursive${hoisted.size}`);
    byShape.set(shape, known);
    names.set(reference(id), known);
    hoisted.set(known, schema);
  }
  const all = new Map<string, JsonSchema>();
  for (const [name, schema] of [...Object.entries(named), ...hoisted]) {
    const { $schema: _, $id: __, ...rest } = schema;
    all.set(
      name,
      renamed(rest, (other) => names.get(other) ?? other),
    );
  }
  return all;
}

function isJson(schema: JsonSchema): boolean {
  const types = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as JsonSchema[]) : [];
  return types.map(({ type }) => type).join() === 'string,number,boolean,null,array,object';
}

/** Names whose schemas differ as input, or refer to one that does. */
function differingNames(
  input: ReadonlyMap<string, JsonSchema>,
  output: ReadonlyMap<string, JsonSchema>,
): ReadonlySet<string> {
  const differing = new Set<string>();
  for (const [name, schema] of input) {
    const other = output.get(name);
    if (other && JSON.stringify(other) !== JSON.stringify(schema)) differing.add(name);
  }
  for (let before = -1; before < differing.size; ) {
    before = differing.size;
    for (const [name, schema] of input) {
      if (refsOf(schema).some((other) => differing.has(other))) differing.add(name);
    }
  }
  return differing;
}

function refsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => refsOf(item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as JsonSchema).flatMap(([key, inside]) =>
    key === '$ref' && typeof inside === 'string' ? [inside.slice(PREFIX.length)] : refsOf(inside),
  );
}

function renamed(schema: JsonSchema, nameOf: (name: string) => string): JsonSchema {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    return typeof value === 'object' && value !== null
      ? renamed(value as JsonSchema, nameOf)
      : value;
  };
  const entries = Object.entries(schema).map(([key, inside]) => [
    key,
    key === '$ref' && typeof inside === 'string'
      ? PREFIX + nameOf(inside.slice(PREFIX.length))
      : within(inside),
  ]);
  return Object.fromEntries(entries) as JsonSchema;
}
