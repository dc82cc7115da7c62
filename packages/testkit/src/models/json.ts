/** Reading JSON that came from outside: what does not fit reads as absent, and never throws. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function asObjects(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

export function asString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}
