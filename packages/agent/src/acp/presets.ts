import type { AcpPreset } from '@stoa/protocol';

/** What Stoa knows about an agent program. */
export interface Preset {
  /** Its name, unless the definition names another. */
  readonly program: string;
  /** Make it speak ACP and ask before it acts. They follow the program, also one that the definition names. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Let it use Stoa's own tools without asking, if its requests for permission do not name the tool. */
  readonly ownServerArgs?: (serverNames: readonly string[]) => readonly string[];
  /** The mode of its sessions in which it asks. */
  readonly askingMode?: string;
  /** How its model is selected. */
  readonly model: (model: string) => { readonly args?: string[]; readonly env?: [string, string] };
  readonly defaultModel?: string;
  /** How it logs in if the variable is set. */
  readonly login?: { readonly method: string; readonly variable: string };
  readonly install: string;
  /** Its files in the home directory of the user, with its login and its sessions. */
  readonly settings: ProgramSettings;
  /** False if it answers `session/load` before it has replayed the session: then no session is loaded. */
  readonly replaysCleanly?: boolean;
  /** False if it cannot create files through the callbacks: then they are not offered. */
  readonly takesFileCallbacks?: boolean;
  /** True if it offers the MCP servers of a session to others: then each session has its own process. */
  readonly sharesServers?: boolean;
}

/** Paths that begin with `~/`. */
export interface ProgramSettings {
  /** Created if they are missing. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** A variable that names another directory to use instead. */
  readonly variable?: string;
}

export const PRESETS: Readonly<Record<AcpPreset, Preset>> = {
  qwen: {
    program: 'qwen',
    args: [
      ...['--acp', '--approval-mode', 'default'],
      // It would hide the tools of MCP servers in the first prompt.
      ...['--exclude-tools', 'tool_search'],
    ],
    env: {
      // Newer versions would otherwise answer the first prompt before they know the tools of MCP servers.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
    },
    ownServerArgs: (names) => ['--allowed-tools', names.map((name) => `mcp__${name}`).join(',')],
    askingMode: 'default',
    // It uses a custom key only if the variable is set too.
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
    // It ignores MCP servers in a workspace that it does not trust.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    askingMode: 'default',
    model: (model) => ({ args: ['-m', model] }),
    // Without a model it waits for a person to choose one.
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
      // Ask about everything that does not only read, including tools of MCP servers.
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
