import type { Argument } from './argument.js';
import { splitName } from './wrappers.js';

/**
 * Words that make a command write files or run programs it otherwise would not. An open pattern
 * (`sort *`) does not reach over them; a rule that spells one out does. They are recognised in
 * every form their programs accept: `--output=x`, `--outp x`, in a bundle of letters.
 *
 * A program is described in one of two ways: by the options that change what it does, or, where
 * those are many or the program takes any setting as an option, by the ones that are `known` not
 * to. Then every other option counts as a change.
 *
 * This narrows what a hasty rule allows. It is not a list of everything a program can do.
 */
interface ChangingWords {
  readonly letters?: string;
  readonly long?: readonly string[];
  /** Words of a single dash, as `find` has them. */
  readonly words?: readonly string[];
  readonly known?: KnownOptions;
  /** Any option before the first other word: it says what the rest is applied to. */
  readonly leading?: boolean;
  /** The first word is a bundle of letters also without a dash. */
  readonly bundle?: boolean;
  /** Words that begin with a plus sign are options too. */
  readonly plus?: boolean;
  /** First words that set or run something of their own. */
  readonly subcommands?: readonly string[];
  /** How many words it only reads that are not options; it writes to the next. */
  readonly inputs?: number;
  /** Its first word that is not an option is a script; others than these run or write. */
  readonly script?: RegExp;
}

interface KnownOptions {
  /** Letters that stand alone, and letters that take a value. */
  readonly flags?: string;
  readonly valued?: string;
  /** Whole words, without a value. */
  readonly words?: readonly string[];
  /** What follows `--` is for another program. */
  readonly endsAtDashes?: boolean;
}

const CHANGING: Readonly<Record<string, ChangingWords>> = {
  git: {
    letters: 'Ox',
    long: [
      ...['output', 'output-directory', 'upload-pack', 'receive-pack', 'exec', 'exec-path'],
      ...['config', 'config-env', 'open-files-in-pager', 'ext-diff', 'textconv', 'extcmd'],
      ...['template', 'separate-git-dir', 'git-dir', 'work-tree', 'to-command', 'filters'],
      ...['edit', 'no-index', 'contents'],
    ],
    leading: true,
    subcommands: [
      ...['config', 'difftool', 'mergetool', 'filter-branch', 'hook', 'submodule', 'bisect'],
      ...['instaweb', 'web--browse', 'send-email', 'daemon', 'credential'],
    ],
  },
  find: { words: ['-delete', '-fprint', '-fprint0', '-fprintf', '-fls', '-files0-from'] },
  fd: { letters: 'xX', long: ['exec', 'exec-batch'] },
  sort: { letters: 'oT', long: ['output', 'compress-program', 'temporary-directory'] },
  uniq: { inputs: 1 },
  shuf: { letters: 'o', long: ['output'] },
  sed: {
    known: { flags: 'nErsuz', words: dashed('quiet', 'silent', 'regexp-extended', 'sandbox') },
    // Addresses with p, d or q; one substitution without the flags that write or run.
    script:
      /^(?:[\d,$~+!]*[pdq=]?|[\d,$]*s([^\w\s\\;])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*)$/,
  },
  yq: { letters: 'i', long: ['inplace', 'in-place'] },
  rg: { long: ['pre', 'hostname-bin'] },
  tree: {
    known: {
      flags: 'adflxpshugDFqNQCnvtcUrJXiSA',
      valued: 'LPIT',
      words: dashed(
        'noreport',
        'dirsfirst',
        'filesfirst',
        'prune',
        'gitignore',
        'du',
        'si',
        'inodes',
      ),
    },
  },
  file: {
    known: {
      flags: 'bikLhrnN0sEdpv',
      valued: 'F',
      words: dashed(
        ...['brief', 'mime', 'mime-type', 'mime-encoding', 'dereference', 'no-dereference'],
        ...['keep-going', 'raw', 'no-pad', 'no-buffer', 'print0', 'extension', 'version', 'help'],
      ),
    },
  },
  tar: {
    letters: 'IF',
    long: [
      ...['to-command', 'checkpoint-action', 'use-compress-program', 'rsh-command'],
      ...['rmt-command', 'info-script', 'new-volume-script'],
    ],
    bundle: true,
  },
  rsync: { letters: 'e', long: ['rsh', 'rsync-path'] },
  ssh: { letters: 'oFEwIS' },
  scp: { letters: 'oFSJD' },
  curl: {
    letters: 'oOKTcDJ',
    long: [
      ...['output', 'output-dir', 'remote-name', 'config', 'upload-file', 'cookie-jar', 'hsts'],
      ...['dump-header', 'trace', 'trace-ascii', 'stderr', 'netrc-file', 'alt-svc', 'etag-save'],
      ...['remote-header-name', 'libcurl', 'ssl-sessions'],
    ],
  },
  wget: {
    letters: 'OoaPe',
    long: [
      ...['output-document', 'output-file', 'append-output', 'directory-prefix', 'execute'],
      ...['config', 'post-file', 'body-file', 'use-askpass', 'save-cookies', 'warc-file'],
      ...['rejected-log', 'hsts-file'],
    ],
  },
  man: { letters: 'PHC', long: ['pager', 'html', 'browser', 'config-file', 'preprocessor'] },
  less: { letters: 'oOk', long: ['log-file', 'lesskey-file'], plus: true },
  date: { letters: 's', long: ['set'] },
  history: { letters: 'arwn' },
  make: { letters: 'fCE', long: ['file', 'makefile', 'directory', 'eval'] },
  npm: {
    known: {
      words: [
        ...['-s', '-w', '-ws', '-iwr', '-l', '-h', '-v'],
        ...dashed(
          'silent',
          'workspace',
          'workspaces',
          'include-workspace-root',
          'if-present',
          'json',
        ),
        ...dashed(
          'long',
          'all',
          'depth',
          'omit',
          'include',
          'no-color',
          'color',
          'loglevel',
          'help',
        ),
      ],
      endsAtDashes: true,
    },
    leading: true,
  },
  pnpm: {
    letters: 'C',
    long: ['script-shell', 'node-options', 'dir', 'config'],
    leading: true,
  },
  yarn: { long: ['cwd', 'script-shell', 'use-yarnrc'], leading: true },
  bun: { long: ['cwd', 'config', 'preload', 'require', 'shell'], letters: 'cr', leading: true },
  go: {
    known: {
      words: [
        ...[
          'v',
          'x',
          'n',
          'a',
          'race',
          'msan',
          'asan',
          'cover',
          'trimpath',
          'p',
          'tags',
          'json',
          'm',
        ],
        ...['run', 'count', 'short', 'timeout', 'failfast', 'parallel', 'cpu', 'bench', 'benchmem'],
        ...[
          'benchtime',
          'list',
          'skip',
          'fullpath',
          'shuffle',
          'covermode',
          'buildvcs',
          'deps',
          'f',
        ],
        ...[
          'all',
          'src',
          'short',
          'u',
          'c-doc',
          'find',
          'test',
          'versions',
          'retracted',
          'compiled',
        ],
      ].flatMap((name) => [`-${name}`, `--${name}`]),
    },
    leading: true,
  },
  cargo: {
    known: {
      flags: 'vq',
      valued: 'pjFDWA',
      words: dashed(
        ...['verbose', 'quiet', 'package', 'workspace', 'all', 'exclude', 'lib', 'bin', 'bins'],
        ...['example', 'examples', 'test', 'tests', 'bench', 'benches', 'all-targets', 'features'],
        ...[
          'all-features',
          'no-default-features',
          'release',
          'profile',
          'jobs',
          'keep-going',
          'doc',
        ],
        ...['no-run', 'no-fail-fast', 'no-deps', 'message-format', 'locked', 'offline', 'frozen'],
        ...['color', 'check', 'document-private-items', 'nocapture', 'test-threads', 'ignored'],
        ...[
          'include-ignored',
          'exact',
          'skip',
          'show-output',
          'list',
          'edition',
          'depth',
          'invert',
        ],
      ),
    },
    leading: true,
  },
  pytest: {
    letters: 'pco',
    long: [
      ...['override-ini', 'rootdir', 'confcutdir', 'basetemp', 'junitxml', 'junit-xml'],
      ...['log-file', 'pdbcls', 'config-file', 'report-log', 'pastebin'],
    ],
  },
};

function dashed(...names: readonly string[]): readonly string[] {
  return names.map((name) => `--${name}`);
}

/** Whether a command has a word that changes what it does and that its rule does not spell out. */
export function changesMeaning(
  argv: readonly Argument[],
  isSpelledOut: (index: number, text: string) => boolean,
): boolean {
  const [name] = argv;
  if (name?.type !== 'fixed') return false;
  const { base } = splitName(name.text);
  const changing = Object.hasOwn(CHANGING, base) ? CHANGING[base] : undefined;
  if (!changing) return false;
  const end = changing.known?.endsAtDashes ? argv.findIndex(isDashes) : -1;
  const own = end < 0 ? argv : argv.slice(0, end);
  const unspelled = (argument: Argument, index: number) =>
    argument.type !== 'fixed' || !isSpelledOut(index, argument.text);
  const isOne = own.some((argument, index) => {
    if (index === 0 || !unspelled(argument, index)) return false;
    if (argument.type !== 'fixed') return argument.mayBeOption;
    return isChanging(argument.text, index, changing);
  });
  return isOne || changesByOperands(own, changing, unspelled);
}

function isDashes(argument: Argument): boolean {
  return argument.type === 'fixed' && argument.text === '--';
}

function isChanging(text: string, index: number, changing: ChangingWords): boolean {
  const { letters, long, words, known, leading, bundle, plus, subcommands } = changing;
  if (plus && text.startsWith('+')) return true;
  if (index === 1 && subcommands?.includes(text)) return true;
  if (!text.startsWith('-')) return !!bundle && index === 1 && hasLetter(text, letters);
  if (leading && index === 1) return true;
  if (known) return text !== '-' && text !== '--' && !isKnown(text, known);
  const [option = ''] = text.split('=', 1);
  if (words?.includes(option)) return true;
  if (text.startsWith('--')) {
    return option.length > 2 && (long ?? []).some((name) => `--${name}`.startsWith(option));
  }
  return hasLetter(text.slice(1), letters);
}

function hasLetter(text: string, letters = ''): boolean {
  return Array.from(letters).some((letter) => text.includes(letter));
}

function isKnown(text: string, { flags = '', valued = '', words = [] }: KnownOptions): boolean {
  const [option = ''] = text.split('=', 1);
  if (words.includes(option)) return true;
  if (text.startsWith('--')) return false;
  for (const letter of text.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!flags.includes(letter)) return false;
  }
  return true;
}

/** The words that are not options: one too many is written to, and a script may do anything. */
function changesByOperands(
  argv: readonly Argument[],
  { inputs, script }: ChangingWords,
  unspelled: (argument: Argument, index: number) => boolean,
): boolean {
  if (inputs === undefined && !script) return false;
  const dashes = argv.findIndex(isDashes);
  const operands = [...argv.entries()].filter(([index, argument]) => {
    if (index === 0 || index === dashes) return false;
    if (argument.type !== 'fixed') return true;
    return (dashes >= 0 && index > dashes) || !/^-./s.test(argument.text);
  });
  if (inputs !== undefined) {
    const splitting = operands.some(([, word]) => word.type === 'unknown' && word.splits);
    const [index, next] = operands[inputs] ?? [];
    return splitting || (index !== undefined && next !== undefined && unspelled(next, index));
  }
  const [first] = operands;
  if (!first || !unspelled(first[1], first[0])) return false;
  return first[1].type !== 'fixed' || script?.test(first[1].text) !== true;
}
