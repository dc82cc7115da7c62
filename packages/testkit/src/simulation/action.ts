/** Something that can happen next. */
export interface Action {
  readonly name: string;
  readonly weight: number;
  /** Whether there is anything for it to do. */
  readonly can: boolean;
  /** Does it and says what was done. */
  run(): Promise<string> | string;
}
