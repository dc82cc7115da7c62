import type { AcpPreset } from '@stoa/protocol';

/** What is known of an agent program. */
export interface Preset {
  /** How it is started, unless the definition says it otherwise. */
  readonly program: string;
  /** Follow the program, whoever names it: they make it speak ACP and ask before it acts. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Let it use Stoa's own tools without asking, where it does not say in its question which tool it is. */
  readonly ownServerArgs?: (serverNames: readonly string[]) => readonly string[];
  /** The mode of its sessions in which it asks. */
  readonly askingMode?: string;
  /** How it is told which model to use. */
  readonly model: (model: string) => { readonly args?: string[]; readonly env?: [string, string] };
  readonly defaultModel?: string;
  /** How it logs in, when the variable is given. */
  readonly login?: { readonly method: string; readonly variable: string };
  readonly install: string;
  /** What it writes in the home directory of the user, where it keeps its login and its sessions. */
  readonly settings: ProgramSettings;
  /** False where it answers `session/load` before it has said again what was said: then none is loaded. */
  readonly replaysCleanly?: boolean;
  /** False where it cannot make new files through the callbacks: then they are not offered. */
  readonly takesFileCallbacks?: boolean;
  /** True where a session is offered the MCP servers of the others: then each session has a process of its own. */
  readonly sharesServers?: boolean;
}

/** Paths that begin with `~/`. */
export interface ProgramSettings {
  /** Made if they are missing. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** A variable that names another directory in their place. */
  readonly variable?: string;
}

export const PRESETS: Readonly<Record<AcpPreset, Preset>> = {
  qwen: {
    program: 'qwen',
    args: [
      ...['--acp', '--approval-mode', 'default'],
      // With it, it would not see the tools of MCP servers on its first prompt.
      ...['--exclude-tools', 'tool_search'],
    ],
    env: {
      // Newer ones would otherwise answer the first prompt before they know the tools of MCP servers.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
    },
    ownServerArgs: (names) => ['--allowed-tools', names.map((name) => `mcp__${name}`).join(',')],
    askingMode: 'default',
    // It takes a key for one of its own only together with the variable.
    model: (model) => ({ args: ['--model', model], env: ['OPENAI_MODEL', model] }),
    install: 'npm install -g @qwen-code/qwen-code',
    settings: { directories: ['~/.qwen'], files: [] },
  },
  claude: {
    program: 'claude-agent-acp',
    args: [],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'false' },
    askingMode: 'default',
    model: (model) => ({ env: ['ANTHROPIC_MODEL', model] }),
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    settings: {
      directories: ['~/.claude'],
      files: ['~/.claude.json'],
      variable: 'CLAUDE_CONFIG_DIR',
    },
  },
  codex: {
    program: 'codex-acp',
    args: [],
    env: { INITIAL_AGENT_MODE: 'read-only' },
    askingMode: 'read-only',
    model: (model) => ({ env: ['CODEX_CONFIG', JSON.stringify({ model })] }),
    install: 'npm install -g @agentclientprotocol/codex-acp',
    settings: { directories: ['~/.codex'], files: [], variable: 'CODEX_HOME' },
  },
  gemini: {
    program: 'gemini',
    args: ['--acp', '--approval-mode', 'default'],
    // Where it does not trust a workspace it leaves out MCP servers.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    askingMode: 'default',
    model: (model) => ({ args: ['-m', model] }),
    // Without one it waits for somebody to choose.
    defaultModel: 'gemini-2.5-pro',
    login: { method: 'gemini-api-key', variable: 'GEMINI_API_KEY' },
    install: 'npm install -g @google/gemini-cli',
    replaysCleanly: false,
    takesFileCallbacks: false,
    settings: { directories: ['~/.gemini'], files: [] },
  },
  opencode: {
    program: 'opencode',
    args: ['acp'],
    env: {
      // All but what only reads: tools of MCP servers too.
      OPENCODE_PERMISSION: JSON.stringify({
        '*': 'ask',
        read: 'allow',
        list: 'allow',
        glob: 'allow',
        grep: 'allow',
        todoread: 'allow',
        todowrite: 'allow',
      }),
    },
    askingMode: 'build',
    model: (model) => ({ env: ['OPENCODE_CONFIG_CONTENT', JSON.stringify({ model })] }),
    install: 'npm install -g opencode-ai',
    sharesServers: true,
    settings: {
      directories: ['~/.config/opencode', '~/.local/share/opencode', '~/.local/state/opencode'],
      files: [],
    },
  },
};
