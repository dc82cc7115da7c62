import pg from 'pg';

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** The one place where a bigint, which pg hands over as text, becomes a number. */
export const BIGINT_AS_NUMBER: pg.CustomTypesConfig = {
  getTypeParser: ((type: TypeId, format: 'text'): unknown =>
    type === pg.types.builtins.INT8
      ? parseBigint
      : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
};
