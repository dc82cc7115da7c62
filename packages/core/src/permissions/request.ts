/** What a tool does, as it declares it. */
export type ToolKind = 'read' | 'edit' | 'search' | 'execute' | 'fetch' | 'ask' | 'speak' | 'other';

/** What exactly a call touches. */
export type Subject =
  | { readonly type: 'shell'; readonly command: string }
  | {
      readonly type: 'path';
      /** Absolute, with links followed and without `.` and `..`. */
      readonly path: string;
      readonly insideWorkspace: boolean;
      /** Inside the data directory of the daemon. */
      readonly insideHome: boolean;
      /** It leads to a protected file or directory, whatever its name is. */
      readonly isProtected?: boolean;
    }
  | { readonly type: 'url'; readonly host: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  /** Text for the standard input of a command that runs: no rule allows it, for what it does depends on the command. */
  | { readonly type: 'input'; readonly text: string }
  | {
      readonly type: 'none';
      /** It reaches what only the person the session works for may read or change, such as their notes. */
      readonly isPrivate?: boolean;
    };

/** A tool call, as far as permission for it depends on it. */
export interface ToolRequest {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly subject: Subject;
}
