export interface JsonSchema {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}

/** Every setting of a configuration by its path, with its default as the documentation writes it. */
export function settingsIn(schema: JsonSchema, path = ''): [string, string][] {
  const own = (schema.default ?? {}) as Record<string, unknown>;
  const forms = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return forms.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]) => {
      const setting = path === '' ? name : `${path}.${name}`;
      const below = settingsIn(field, setting);
      return below.length > 0
        ? below
        : [[setting, shown(field.default ?? own[name])] as [string, string]];
    }),
  );
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
