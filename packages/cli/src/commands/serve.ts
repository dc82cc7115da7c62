import type { Issue } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { EXIT, type ExitCode } from '../exit-code.js';

export interface ServeOptions extends GlobalFlags {
  readonly port?: number;
  readonly host?: string;
  readonly config?: string;
}

interface DaemonFlags {
  readonly home?: string | undefined;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly config?: string | undefined;
}

/** What the command needs of the daemon's package. */
export interface DaemonPackage {
  /** Runs until it is stopped; prints its own lines. */
  runDaemon(options: { readonly flags: DaemonFlags }): Promise<number>;
  checkConfig(home: string, file?: string): readonly Issue[] | Promise<readonly Issue[]>;
  configJsonSchema(): unknown;
  effectiveConfig(options: { readonly flags: DaemonFlags }): {
    readonly host: string;
    readonly port: number;
    readonly store: { readonly engine: 'sqlite' | 'postgres' };
    readonly sandbox: { readonly writable: readonly string[] };
    readonly workspaces: readonly {
      readonly path: string;
      readonly shared: boolean;
      readonly approve: 'owner' | 'self';
    }[];
  };
  /** Where a daemon that listens there is reached. */
  urlOf(host: string, port: number): string;
  /** What agents have on this machine for their commands and searches. */
  checkAgentTools(settings?: { readonly writable?: readonly string[] }): Promise<{
    readonly sandbox: {
      readonly hidesHome: boolean;
      readonly summary: string;
      readonly limits: readonly string[];
    };
    readonly ripgrep:
      | { readonly ok: true; readonly path: string }
      | { readonly ok: false; readonly problem: string };
  }>;
  checkSqlite(): { readonly version: string; readonly library: string; readonly ok: boolean };
}

/** The only door from the command to the daemon; opened by what runs or examines one. */
export async function loadDaemon(): Promise<DaemonPackage> {
  return await import('@stoa/daemon');
}

export async function serve(
  context: Context,
  _args: readonly string[],
  { home, port, host, config }: ServeOptions,
): Promise<ExitCode> {
  context.io.outliveReaders();
  const daemon = await loadDaemon();
  const exitCode = await daemon.runDaemon({ flags: { home, port, host, config } });
  return exitCode === 0 ? EXIT.ok : EXIT.failure;
}
