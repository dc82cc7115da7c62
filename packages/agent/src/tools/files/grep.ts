import { constants, promises as fs } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LocatedPath } from '../paths.js';
import type { Sandbox } from '../shell/sandbox.js';
import { type DecidedEnvironment, defineTool, type Tool } from '../tool.js';
import { ToolFailure, withToolFailures } from '../tool-failure.js';
import { shownPath } from './glob.js';
import { GlobPattern } from './glob-pattern.js';
import { GrepInput, GrepReport, type Search } from './grep-search.js';
import { searchWithRipgrep } from './ripgrep.js';
import { searchWithWalker } from './walk-search.js';

export interface GrepOptions {
  readonly sandbox: Sandbox;
  /** Path of ripgrep; by default that of the system. `null`: search without it. */
  readonly ripgrep?: string | null;
}

export function createGrep({ sandbox, ripgrep }: GrepOptions): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the text of files for a regular expression. Leaves out .git, node_modules, binary files and ' +
      'files that .gitignore names; does not follow links.',
    input: GrepInput,
    kind: 'search',
    title: ({ pattern, path }) => `Search ${pattern}${path === undefined ? '' : ` in ${path}`}`,
    subjects: ({ path = '.' }) => [{ type: 'path', path }],
    async execute(input, environment) {
      const { workspace } = environment;
      const report = new GrepReport(input, (path) => shownPath(path, workspace));
      await withToolFailures(input.path ?? '.', async () => {
        const search = await open(input, environment, report);
        const program = ripgrep === undefined ? await ripgrepOf(sandbox) : ripgrep;
        if (program === null) await searchWithWalker(search, environment);
        else await searchWithRipgrep(program, search, environment, sandbox);
      });
      return { text: report.text() };
    },
  });
}

async function ripgrepOf({ programs }: Sandbox): Promise<string | null> {
  const found = await programs.find('rg');
  return found.ok ? found.path : null;
}

async function open(
  input: GrepInput,
  environment: DecidedEnvironment,
  report: GrepReport,
): Promise<Search> {
  const wants = wanted(input.glob);
  const located = environment.located(input.path ?? '.');
  const { path } = located;
  if (await isDirectory(located)) {
    const directory = await environment.paths.openDirectory(located);
    await directory.close();
    return { input, root: path, wants, report };
  }
  const handle = await environment.paths.openFile(located, constants.O_RDONLY);
  await handle.close();
  return { input, root: dirname(path), file: basename(path), wants, report };
}

/** A pattern without a slash matches names in any directory. */
function wanted(glob: string | undefined): (relative: string) => boolean {
  if (glob === undefined) return () => true;
  const pattern = new GlobPattern(glob.includes('/') ? glob : `**/${glob}`);
  return (relative) => pattern.matches(relative);
}

async function isDirectory({ path, given, refusal }: LocatedPath): Promise<boolean> {
  if (refusal !== undefined) throw new ToolFailure(`${given}: ${refusal}`);
  return (await fs.lstat(path)).isDirectory();
}
