import {
  type InstalledProgram,
  installNpmProgram,
  type NpmProgram,
} from '../programs/npm-program.js';

const PACKAGES = {
  qwen: {
    directory: 'qwen',
    package: '@qwen-code/qwen-code',
    version: '0.15.10',
    file: 'cli.js',
  },
  // Newer ones need Node 22.
  claude: {
    directory: 'claude',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.49.0',
    file: 'dist/index.js',
  },
  codex: {
    directory: 'codex',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    file: 'dist/index.js',
  },
  // The package opencode-ai only fetches this one, with a script.
  opencode: {
    directory: 'opencode',
    package: 'opencode-linux-x64',
    version: '1.18.33',
    file: 'bin/opencode',
    isBinary: true,
  },
  gemini: {
    directory: 'gemini',
    package: '@google/gemini-cli',
    version: '0.61.0',
    file: 'bundle/gemini.js',
  },
} as const satisfies Readonly<Record<string, NpmProgram>>;

export type ProgramName = keyof typeof PACKAGES;

export const PROGRAM_NAMES = Object.keys(PACKAGES) as readonly ProgramName[];

/** Name and version of the package that a program comes in. */
export const packageOf = (program: ProgramName): string =>
  `${PACKAGES[program].package} ${PACKAGES[program].version}`;

/** It is no dependency of the product; see `installNpmProgram`. */
export const installProgram = (
  program: ProgramName,
  environment?: Readonly<NodeJS.ProcessEnv>,
): Promise<InstalledProgram> => installNpmProgram(PACKAGES[program], environment);
