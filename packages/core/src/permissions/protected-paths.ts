/**
 * Paths whose content other programs obey: version control and its hooks, agents and their
 * instructions, editors, and shells that start. One list for every surface: rules and modes, the
 * file tools, the file calls of ACP programs, and the sandbox of commands.
 *
 * Below mode `full` an edit there is asked about in every mode (plan denies it), and only an allow
 * rule that names the path explicitly covers it.
 */
import { literalNames, type PathPattern, type Places } from './path-pattern.js';

/** Everything in them is protected, at any depth. */
const DIRECTORIES = ['.git', '.stoa', '.vscode', '.husky'] as const;

const FILES = ['AGENTS.md', 'CLAUDE.md', '.mcp.json', '.envrc'] as const;

/** Files that a shell or a login runs when it starts. */
export const START_FILES = [
  ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc'],
  ...['.cshrc', '.tcshrc', '.login', '.logout', '.inputrc'],
  ...['.xprofile', '.xinitrc', '.xsession', '.xsessionrc', 'config.fish'],
] as const;

/** Names of files and directories that are protected wherever they are. */
export const PROTECTED_NAMES: readonly string[] = [...DIRECTORIES, ...FILES, ...START_FILES];

/**
 * What commands in the sandbox cannot change in the user's home directory when that lies in a
 * directory they may write.
 */
export const READ_ONLY_IN_HOME: readonly string[] = [
  ...START_FILES.filter((name) => name !== 'config.fish'),
  ...['.config', '.ssh', '.gnupg', '.gitconfig', '.npmrc', '.local/bin', 'bin', '.cargo/bin'],
];

const FOLDED: ReadonlySet<string> = new Set(PROTECTED_NAMES.map(folded));

/**
 * A name as a file system that ignores case may read it, on every system: asking once too often is
 * cheaper than knowing each file system. Some also ignore characters that show nothing, and one has
 * short names.
 */
function folded(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .toLowerCase();
  return plain === 'git~1' ? '.git' : plain;
}

/**
 * The protected names in a resolved path, in its order. Of a path in the workspace only the part
 * below the workspace counts: a workspace may itself lie in a directory of such a name.
 */
export function protectedNamesIn(path: string, { workspace }: Places): readonly string[] {
  const base = workspace === '/' ? '/' : `${workspace}/`;
  const below = path.startsWith(base) ? path.slice(base.length) : path;
  return below
    .split('/')
    .map(folded)
    .filter((name) => FOLDED.has(name));
}

/**
 * Whether a pattern names a protected path explicitly: each protected name in the path is written out
 * in it. No pattern does that for a path that is protected only for what it leads to.
 */
export function namesExplicitly(pattern: PathPattern, path: string, places: Places): boolean {
  const needed = protectedNamesIn(path, places);
  const written = new Set(literalNames(pattern).map(folded));
  return needed.length > 0 && needed.every((name) => written.has(name));
}

/** Whether a pattern writes out a protected name, so that it can be about protected paths. */
export function mentionsProtected(pattern: PathPattern): boolean {
  return literalNames(pattern).some((name) => FOLDED.has(folded(name)));
}
