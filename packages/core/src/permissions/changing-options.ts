import type { Argument } from './shell/argument.js';

/**
 * Options that make a command write files or run programs it otherwise would not. An open pattern
 * (`sort *`) does not reach over them; a rule that spells one out does. They are recognised in
 * every form their programs accept: `--output=x`, `--outp x`, in a bundle of letters.
 *
 * This narrows what a hasty rule allows. It is not a list of everything a program can do.
 */
interface ChangingOptions {
  readonly letters?: string;
  readonly long?: readonly string[];
  /** Words of a single dash, as `find` has them. */
  readonly words?: readonly string[];
  /** Any option before the first other word: it says what the rest is applied to. */
  readonly leading?: boolean;
}

const CHANGING: Readonly<Record<string, ChangingOptions>> = {
  git: {
    letters: 'Ox',
    long: [
      ...['output', 'output-directory', 'upload-pack', 'receive-pack', 'exec', 'exec-path'],
      ...['config', 'config-env', 'open-files-in-pager', 'ext-diff', 'textconv', 'extcmd'],
      ...['template', 'separate-git-dir', 'git-dir', 'work-tree', 'to-command'],
    ],
    leading: true,
  },
  find: { words: ['-delete', '-fprint', '-fprint0', '-fprintf', '-fls', '-files0-from'] },
  fd: { letters: 'xX', long: ['exec', 'exec-batch'] },
  sort: { letters: 'oT', long: ['output', 'compress-program', 'temporary-directory'] },
  shuf: { letters: 'o', long: ['output'] },
  sed: { letters: 'i', long: ['in-place'] },
  yq: { letters: 'i', long: ['inplace', 'in-place'] },
  rg: { long: ['pre', 'hostname-bin'] },
  tree: { letters: 'o' },
  tar: {
    letters: 'IF',
    long: [
      ...['to-command', 'checkpoint-action', 'use-compress-program', 'rsh-command'],
      ...['rmt-command', 'info-script', 'new-volume-script'],
    ],
  },
  rsync: { letters: 'e', long: ['rsh', 'rsync-path'] },
  ssh: { letters: 'oFEw' },
  scp: { letters: 'oFSJ' },
  curl: {
    letters: 'oOKTc',
    long: [
      ...['output', 'output-dir', 'remote-name', 'config', 'upload-file', 'cookie-jar'],
      ...['dump-header', 'trace', 'trace-ascii', 'stderr', 'netrc-file'],
    ],
  },
  wget: {
    letters: 'OoaPe',
    long: [
      ...['output-document', 'output-file', 'append-output', 'directory-prefix', 'execute'],
      ...['config', 'post-file', 'body-file', 'use-askpass'],
    ],
  },
  man: { letters: 'PHC', long: ['pager', 'html', 'browser', 'config-file', 'preprocessor'] },
  less: { letters: 'oOk', long: ['log-file', 'lesskey-file'] },
  date: { letters: 's', long: ['set'] },
  history: { letters: 'arwn' },
  make: { letters: 'fCE', long: ['file', 'makefile', 'directory', 'eval'] },
  npm: { letters: 'C', long: ['script-shell', 'node-options', 'prefix', 'userconfig'] },
  pnpm: { letters: 'C', long: ['script-shell', 'node-options', 'dir'] },
  yarn: { long: ['cwd', 'script-shell'] },
  go: { words: ['-exec', '-toolexec', '-vettool', '--exec', '--toolexec', '--vettool'] },
  cargo: { letters: 'ZC', long: ['config', 'manifest-path'] },
  pytest: { letters: 'pco', long: ['override-ini', 'rootdir', 'confcutdir'] },
};

/** Whether a command has a word that changes what it does and that its rule does not spell out. */
export function changesMeaning(
  argv: readonly Argument[],
  isSpelledOut: (index: number, text: string) => boolean,
): boolean {
  const [name] = argv;
  if (name?.type !== 'fixed' || !Object.hasOwn(CHANGING, name.text)) return false;
  const changing = CHANGING[name.text] ?? {};
  return argv.some((argument, index) => {
    if (index === 0) return false;
    if (argument.type !== 'fixed') return argument.mayBeOption;
    if (isSpelledOut(index, argument.text)) return false;
    const leads = changing.leading && index === 1 && argument.text.startsWith('-');
    return leads || isChanging(argument.text, changing);
  });
}

function isChanging(text: string, { letters, long, words }: ChangingOptions): boolean {
  if (!text.startsWith('-')) return false;
  const [option = ''] = text.split('=', 1);
  if (words?.includes(option)) return true;
  if (text.startsWith('--')) {
    return option.length > 2 && (long ?? []).some((name) => `--${name}`.startsWith(option));
  }
  return Array.from(letters ?? '').some((letter) => text.includes(letter, 1));
}
