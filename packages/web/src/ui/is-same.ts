/** Whether two objects are equal in every field: every change creates all rows again, and most are unchanged. */
export function isSame(a: object, b: object): boolean {
  const other: Readonly<Record<string, unknown>> = { ...b };
  const fields = Object.entries(a);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => other[name] === value)
  );
}
