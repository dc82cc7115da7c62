import { constants, promises as fs } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Place } from '../paths.js';
import type { Sandbox } from '../shell/sandbox.js';
import { type DecidedEnvironment, defineTool, type Tool } from '../tool.js';
import { inWords, ToolFailure } from '../tool-failure.js';
import { shownPath } from './glob.js';
import { GlobPattern } from './glob-pattern.js';
import { GrepReport } from './grep-report.js';
import { GrepInput, type Search } from './grep-search.js';
import { searchWithRipgrep } from './ripgrep.js';
import { searchWithWalker } from './walk-search.js';

export interface GrepOptions {
  readonly sandbox: Sandbox;
  /** Where ripgrep is; that of the system unless told, and not used when null. */
  readonly ripgrep?: string | null;
}

export function createGrep({ sandbox, ripgrep }: GrepOptions): Tool {
  return defineTool<GrepInput>({
    name: 'grep',
    description:
      'Searches the text of files for a regular expression. .git, node_modules, binary files and ' +
      'what .gitignore names are left out, links are not followed.',
    input: GrepInput,
    kind: 'search',
    title: ({ pattern, path }) => `Search ${pattern}${path === undefined ? '' : ` in ${path}`}`,
    subjects: ({ path = '.' }) => Promise.resolve([{ type: 'path', path }]),
    async execute(input, environment) {
      try {
        const { workspace } = environment;
        const report = new GrepReport(input, (path) => shownPath(path, workspace));
        const search = await open(input, environment, report);
        const program = ripgrep === undefined ? await ripgrepOf(sandbox) : ripgrep;
        if (program === null) await searchWithWalker(search, environment);
        else await searchWithRipgrep(program, search, environment, sandbox);
        return { text: report.text() };
      } catch (error) {
        throw inWords(error, input.path ?? '.');
      }
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
  const place = environment.place(input.path ?? '.');
  const isDirectory = await isDirectoryAt(place);
  if (isDirectory) {
    const directory = await environment.paths.openDirectory(place);
    await directory.close();
    return { input, root: place.path, wants, report };
  }
  const handle = await environment.paths.openFile(place, constants.O_RDONLY);
  await handle.close();
  return { input, root: dirname(place.path), file: basename(place.path), wants, report };
}

/** A pattern without a slash is about names. */
function wanted(glob: string | undefined): (relative: string) => boolean {
  if (glob === undefined) return () => true;
  const pattern = new GlobPattern(glob.includes('/') ? glob : `**/${glob}`);
  return (relative) => pattern.matches(relative);
}

async function isDirectoryAt({ path, given, refusal }: Place): Promise<boolean> {
  if (refusal !== undefined) throw new ToolFailure(`${given}: ${refusal}`);
  return (await fs.lstat(path)).isDirectory();
}
