/** Whether two have the same in every field: rows are made anew with every change, and most say what they said before. */
export function isSame(a: object, b: object): boolean {
  const other: Readonly<Record<string, unknown>> = { ...b };
  const fields = Object.entries(a);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => other[name] === value)
  );
}
