import { describe, expect, it } from 'vitest';
import * as protocol from '../index.js';

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<
    Record<string, Record<string, { operationId: string; 'x-stoa-access': string[] }>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
}

const document = protocol.openApiDocument({
  version: '1.2.3',
  schemas: protocol,
}) as unknown as Document;

/** Every object in the document, with the path to it. */
function* objects(value: unknown, path = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, inside] of Object.entries(value)) {
    yield* objects(inside, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function resolve(ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      document,
    );
}

describe('the OpenAPI document', () => {
  it('describes every route, with who may call it', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(
      Object.keys(protocol.ROUTES).sort(),
    );
    expect(JSON.stringify(document)).not.toContain('undefined');
  });

  it('DU-90 has no reference that does not resolve from its root', () => {
    const refs = [...objects(document)].flatMap(([at, { $ref }]) =>
      typeof $ref === 'string' ? [{ at, $ref }] : [],
    );
    expect(refs.length).toBeGreaterThan(400);
    expect(refs.filter(({ $ref }) => resolve($ref) === undefined)).toEqual([]);
  });

  it('DU-90 can be dereferenced: only recursive schemas have cycles', () => {
    const recursive = new Set<string>();
    const visit = (value: unknown, open: readonly string[]): void => {
      if (typeof value !== 'object' || value === null) return;
      const { $ref } = value as { $ref?: unknown };
      if (typeof $ref === 'string') {
        if (open.includes($ref)) recursive.add($ref);
        else visit(resolve($ref), [...open, $ref]);
        return;
      }
      for (const inside of Object.values(value)) visit(inside, open);
    };
    visit(document, []);
    expect([...recursive]).toEqual(['#/components/schemas/JsonValue']);
  });

  it('DU-91 has a named schema for every record, and every request and answer refers to one', () => {
    const { schemas } = document.components;
    for (const name of ['Channel', 'Message', 'Session', 'Run', 'Approval', 'Agent', 'Problem']) {
      expect(schemas).toHaveProperty(name);
    }
    expect(schemas['Channel']).toMatchObject({
      type: 'object',
      properties: { channelId: { $ref: '#/components/schemas/ChannelId' } },
    });
    const bodies = [...objects(document.paths)].flatMap(([at, value]) => {
      const json = value['application/json'] as { schema?: unknown } | undefined;
      return json?.schema ? [{ at, schema: json.schema }] : [];
    });
    expect(bodies.length).toBeGreaterThan(140);
    const named = { $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) as unknown };
    for (const { at, schema } of bodies) expect({ at, schema }).toEqual({ at, schema: named });
    expect(Object.keys(schemas).every((name) => /^[A-Z]\w*$/.test(name))).toBe(true);
  });

  it('DU-91 has one dialect, no part that is generated twice under one name, and a server', () => {
    for (const [at, value] of objects(document)) {
      expect(at.endsWith('/properties') ? [] : Object.keys(value)).not.toContain('$schema');
      expect(at.endsWith('/properties') ? [] : Object.keys(value)).not.toContain('$defs');
      // The draft 7 form of prefixItems in 2020-12.
      if (!at.endsWith('/properties')) expect(Array.isArray(value['items'])).toBe(false);
    }
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) as unknown }]);
  });

  it('DU-91 separates input from output schemas if defaults make them differ', () => {
    const { schemas } = document.components;
    const inputs = Object.keys(schemas).filter(
      (name) => schemas[name.replace(/Input$/, '')] && name.endsWith('Input'),
    );
    expect(inputs).toContain('AgentDefinitionInput');
    for (const name of inputs) {
      expect(schemas[name]).not.toEqual(schemas[name.replace(/Input$/, '')]);
    }
  });
});
