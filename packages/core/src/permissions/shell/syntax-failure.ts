/**
 * Carries the first thing that was not understood out of the recursive descent.
 * It never leaves `parseScript`, which returns it as a value.
 */
export class SyntaxFailure extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
