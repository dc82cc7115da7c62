/** What a tool declares to do. */
export type ToolKind = 'read' | 'edit' | 'search' | 'execute' | 'fetch' | 'ask' | 'speak' | 'other';

/** What a call touches. */
export type Subject =
  | { readonly type: 'shell'; readonly command: string }
  | {
      readonly type: 'path';
      /** Absolute, with links resolved and without `.` and `..`. */
      readonly path: string;
      readonly insideWorkspace: boolean;
      /** Inside the data directory of the daemon. */
      readonly insideHome: boolean;
      /** It leads to a protected file or directory, although its name is not protected. */
      readonly isProtected?: boolean;
    }
  | { readonly type: 'url'; readonly host: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  /** Text for the standard input of a running command. No rule allows it, because its effect depends on the command. */
  | { readonly type: 'input'; readonly text: string }
  | {
      readonly type: 'none';
      /** It touches data that only the person the session works for may read or change, such as their notes. */
      readonly isPrivate?: boolean;
    };

/** The parts of a tool call that decide about its permission. */
export interface ToolRequest {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly subject: Subject;
}
