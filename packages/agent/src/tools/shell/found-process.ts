/** How the processes of one command are known. */
export interface ProcessMarks {
  /** The process that leads their session and their group; undefined when its number may be another's. */
  readonly leader: number | undefined;
  /** `NAME=value` in the environment of each of them, also of those that left the group. */
  readonly marker: string;
  /** When the first of them began, if that is known: nobody older needs to be looked at closely. */
  readonly since?: number | undefined;
  /** They began a moment ago: numbers have not gone round since, and only later ones are looked at. */
  readonly isRecent?: boolean;
}

export interface FoundProcess {
  readonly pid: number;
  /** A signal to the group of their leader reaches it. */
  readonly isInGroup: boolean;
  readonly isMarked: boolean;
}
