import {
  type Argument,
  argumentOf,
  type CommandNode,
  parseScript,
  type Script,
  unwrap,
} from '@stoa/shell';

const MAX_DEPTH = 8;

/**
 * A hint for a foreground command that waits for output or changes, which a monitor could report instead. Commands under
 * `timeout` get none.
 */
export function monitorHint(command: string): string | undefined {
  const parsed = parseScript(command);
  const what = parsed.ok ? watchedBy(parsed.script, 0) : undefined;
  if (what === undefined) return undefined;
  return `${what} runs until something happens: the monitor tool sends you each line while you do other work`;
}

function watchedBy(script: Script, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  for (const { background, pipelines } of script.items) {
    if (background) continue;
    for (const { pipeline } of pipelines) {
      // `tail -f log | head -1` ends too, but only when a line is printed.
      for (const node of pipeline.commands) {
        const found = watchedByCommand(node, depth);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

function watchedByCommand(node: CommandNode, depth: number): string | undefined {
  if (node.type === 'function') return undefined;
  if (node.type === 'simple') return watchedByWords(node.words.map(argumentOf), depth);
  const { shape } = node;
  switch (shape.type) {
    case 'subshell':
    case 'group':
      return watchedBy(shape.body, depth + 1);
    case 'while':
    case 'until':
      return sleeps(shape.body) || sleeps(shape.condition)
        ? 'A loop that sleeps between its checks'
        : (watchedBy(shape.condition, depth + 1) ?? watchedBy(shape.body, depth + 1));
    default:
      return undefined;
  }
}

function watchedByWords(argv: readonly Argument[], depth: number): string | undefined {
  const [first] = argv;
  // `unwrap` does not parse the command that `watch` runs.
  if (first?.type === 'fixed' && baseOf(first.text) === 'watch') return '`watch`';
  const found = unwrap(argv, [], depth);
  if (!found || found.wrappers.some((name) => baseOf(name) === 'timeout')) return undefined;
  const [name, ...words] = found.argv.map((word) => (word.type === 'fixed' ? word.text : ''));
  const isWatching = WATCHERS[baseOf(name ?? '')]?.(words) ?? false;
  return isWatching ? `\`${baseOf(name ?? '')}\` as it is used here` : undefined;
}

const has =
  (pattern: RegExp) =>
  (words: readonly string[]): boolean =>
    words.some((word) => pattern.test(word));

/** `-f` alone or among other letters, none of which takes a value. */
const FOLLOWS = /^(?:-\d*[a-eg-zA-EG-Z]*[fF][a-zA-Z0-9]*|--follow(?:=.*)?)$/;
const MONITORS = /^(?:-[a-ln-zA-Z]*m[a-zA-Z]*|--monitor)$/;

const WATCHERS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  tail: has(FOLLOWS),
  journalctl: has(FOLLOWS),
  dmesg: has(/^(?:-[a-vx-zA-VX-Z]*[wW][a-zA-Z]*|--follow(?:-new)?)$/),
  docker: (words) => words.includes('logs') && has(FOLLOWS)(words),
  podman: (words) => words.includes('logs') && has(FOLLOWS)(words),
  kubectl: (words) => words.includes('logs') && has(FOLLOWS)(words),
  inotifywait: has(MONITORS),
  fswatch: (words) => !words.includes('-1') && !words.includes('--one-event'),
  watch: () => true,
};

function sleeps(script: Script): boolean {
  return script.items.some(({ pipelines }) =>
    pipelines.some(({ pipeline }) =>
      pipeline.commands.some((node) => {
        if (node.type === 'compound') {
          const { shape } = node;
          return (shape.type === 'group' || shape.type === 'subshell') && sleeps(shape.body);
        }
        if (node.type !== 'simple') return false;
        const [name] = node.words.map(argumentOf);
        return name?.type === 'fixed' && baseOf(name.text) === 'sleep';
      }),
    ),
  );
}

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
