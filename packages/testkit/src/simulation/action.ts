/** Something that can happen next. */
export interface Action {
  readonly name: string;
  readonly weight: number;
  /** Whether there is anything for it to do. */
  readonly can: boolean;
  /** Carries it out and returns a description. */
  run(): Promise<string> | string;
}
