import { configJsonSchema } from './schema.js';

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

/** The fields that the configuration knows at a place, for people who mistyped one. */
export function knownFields(path: readonly PropertyKey[]): string[] {
  let node: Node = configJsonSchema();
  for (const key of path) node = node.properties?.[String(key)] ?? {};
  const forms = node.anyOf ?? node.oneOf ?? [node];
  return [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))];
}
