/**
 * Paths whose content other programs obey: version control and its hooks, agents and their instructions, editors, and start
 * files of shells. Rules and modes, the file tools, the file calls of ACP programs and the sandbox use this one list.
 *
 * Below mode `full` an edit of such a path needs an approval (plan denies it), unless an allow rule names the path
 * explicitly.
 */
import { literalNames, type PathPattern, type PathRoots } from './path-pattern.js';

/** Everything below them is protected. */
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
 * Paths in the user's home directory that commands in the sandbox cannot change, even if they may write to the home
 * directory.
 */
export const READ_ONLY_IN_HOME: readonly string[] = [
  ...START_FILES.filter((name) => name !== 'config.fish'),
  ...['.config', '.ssh', '.gnupg', '.gitconfig', '.npmrc', '.local/bin', 'bin', '.cargo/bin'],
];

const FOLDED: ReadonlySet<string> = new Set(PROTECTED_NAMES.map(folded));

/**
 * A name as a file system that ignores case may read it. Some also ignore invisible characters, and one has short names. This
 * applies on every system: an unnecessary approval is cheaper than detecting the file system.
 */
function folded(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .toLowerCase();
  return plain === 'git~1' ? '.git' : plain;
}

/**
 * The protected names in a resolved path, in order. In a path of the workspace only the part below the workspace counts: the
 * workspace itself may be in a directory of such a name.
 */
export function protectedNamesIn(path: string, { workspace }: PathRoots): readonly string[] {
  const base = workspace === '/' ? '/' : `${workspace}/`;
  const below = path.startsWith(base) ? path.slice(base.length) : path;
  return below
    .split('/')
    .map(folded)
    .filter((name) => FOLDED.has(name));
}

/**
 * Whether a pattern names a protected path explicitly: it contains each protected name of the path without a wildcard. For a
 * path that is protected only because of its target, no pattern does.
 */
export function namesExplicitly(pattern: PathPattern, path: string, roots: PathRoots): boolean {
  const needed = protectedNamesIn(path, roots);
  const written = new Set(literalNames(pattern).map(folded));
  return needed.length > 0 && needed.every((name) => written.has(name));
}

/** Whether a pattern contains a protected name, so that it can match protected paths. */
export function mentionsProtected(pattern: PathPattern): boolean {
  return literalNames(pattern).some((name) => FOLDED.has(folded(name)));
}
