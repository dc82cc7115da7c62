import type { ErrorCode } from '@stoa/protocol';
import type { ErrorObject } from 'ajv';

interface Member {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

type Meant =
  /** Nothing of this name: what there is. */
  | { readonly tag: string; readonly names: readonly string[]; readonly code?: ErrorCode }
  | { readonly schemaPath: string };

/**
 * Which member of a union was meant, where a field of each names it. A union fails with what is wrong
 * with every member of it, of which only those of one are of use.
 */
export function memberMeant({
  schema,
  parentSchema,
  schemaPath,
  data,
}: ErrorObject): Meant | undefined {
  const members = schema as readonly Member[];
  const tag = Object.keys(members[0]?.properties ?? {}).find((name) =>
    members.every(({ properties }) => properties?.[name]?.const !== undefined),
  );
  if (tag === undefined || typeof data !== 'object' || data === null) return undefined;
  const names = members.map(({ properties }) => properties?.[tag]?.const);
  const index = names.indexOf((data as Record<string, unknown>)[tag]);
  if (index !== -1) return { schemaPath: `${schemaPath}/${String(index)}/` };
  const code = (parentSchema as { 'x-unknown-code'?: ErrorCode } | undefined)?.['x-unknown-code'];
  return { tag, names: names.map(String), ...(code && { code }) };
}
