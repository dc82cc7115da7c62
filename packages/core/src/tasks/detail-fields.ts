import type { Metadata } from '@stoa/protocol';

type FieldType = 'text' | 'count' | 'flag' | 'texts';

const FITS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  count: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  flag: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

/**
 * Checks the fields of a detail that other code reads. A field whose name ends in `?` is optional; other fields are not
 * checked.
 */
export function detailFields(
  fields: Readonly<Record<string, FieldType>>,
): (detail: Metadata) => string | undefined {
  return (detail) => {
    for (const [name, type] of Object.entries(fields)) {
      const isOptional = name.endsWith('?');
      const value = detail[isOptional ? name.slice(0, -1) : name];
      if (value === undefined ? !isOptional : !FITS[type](value)) return `${name} is not a ${type}`;
    }
    return undefined;
  };
}
