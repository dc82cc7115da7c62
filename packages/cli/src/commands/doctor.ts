import fs from 'node:fs';
import type { Issue } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { checkAddress } from '../doctor/address.js';
import { checkDataDirectory, checkHolder, checkTokenFile } from '../doctor/data-directory.js';
import { checkDatabase } from '../doctor/database.js';
import { type Finding, type Level, note, ok, problem } from '../doctor/finding.js';
import { checkAgentTools, checkDiskSpace, checkNode, checkSqlite } from '../doctor/machine.js';
import { checkWorkspaces } from '../doctor/workspaces.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { UsageError } from '../failure.js';
import { configFileOf, homeOf, livingDaemon } from '../locate.js';
import { printableLine } from '../terminal/printable.js';
import { type DaemonPackage, loadDaemon } from './serve.js';

export interface DoctorOptions extends GlobalFlags {
  readonly deep?: boolean;
  readonly config?: string;
}

export async function doctor(
  context: Context,
  _args: readonly string[],
  options: DoctorOptions,
): Promise<ExitCode> {
  const home = homeOf(options, context.io.env);
  const program = await checkProgram(context, home, options.config);
  const findings: Finding[] = [
    checkNode(process.versions.node),
    ...checkDataDirectory(home),
    checkTokenFile(home),
    checkHolder(home),
    checkDiskSpace(home),
    ...program.findings,
    ...(await checkDaemon(context, program.url, options.deep ?? false)),
  ];
  const problems = findings.filter(({ level }) => level === 'problem');
  context.answer({ ok: problems.length === 0, findings }, () => findingsText(context, findings));
  return problems.length === 0 ? EXIT.ok : EXIT.failure;
}

/** `url`: where a daemon would listen, if the configuration can be read. */
interface Program {
  readonly findings: readonly Finding[];
  readonly url?: string;
}

async function checkProgram(
  { io }: Context,
  home: string,
  config: string | undefined,
): Promise<Program> {
  let daemon: DaemonPackage;
  try {
    daemon = await loadDaemon();
  } catch (error) {
    const detail = `the daemon cannot be loaded: ${(error as Error).message}`;
    return { findings: [problem('program', detail, 'install it again: npm ci')] };
  }
  const file = configFileOf(config, io.env, home);
  const issues = await daemon.checkConfig(home, config);
  const effective =
    issues.length > 0 ? undefined : daemon.effectiveConfig({ flags: { home, config } });
  const writable = effective?.sandbox.writable ?? [];
  const machine = [sqliteFinding(daemon), ...(await agentFindings(daemon, writable))];
  if (!effective) {
    return { findings: [...machine, ...issues.map((issue) => faulty(file, issue))] };
  }
  const { host, port, store, workspaces } = effective;
  const source = fs.existsSync(file)
    ? `${file}, environment`
    : `defaults, environment; there is no ${file}`;
  return {
    findings: [
      ...machine,
      ok('config', `valid (${source})`),
      ...checkWorkspaces(workspaces),
      ...(store.engine === 'sqlite' ? checkDatabase(home) : []),
    ],
    ...(port === 0 ? {} : { url: daemon.urlOf(host, port) }),
  };
}

function faulty(file: string, issue: Issue): Finding {
  const where = issue.path === '' ? '' : `${issue.path}: `;
  const fix = 'correct the file or the environment; see the allowed values: stoa config schema';
  return problem('config', `${file}: ${where}${issue.message}`, fix);
}

async function checkDaemon(
  context: Context,
  configured: string | undefined,
  deep: boolean,
): Promise<Finding[]> {
  try {
    const target = contextFor(context, configured);
    try {
      const findings = [...usedToken(target), ...(await checkAddress(target))];
      return deep ? [...findings, await checkStore(target)] : findings;
    } finally {
      target.close();
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [problem('daemon', `not checked: ${error.message}`, 'correct that first')];
  }
}

/** One that was given goes before that of the data directory, and so is what may be wrong. */
function usedToken({ located: { token, tokenFrom, tokenIsOwn } }: Context): Finding[] {
  if (token === undefined || tokenIsOwn) return [];
  return [note('token', `commands use the token from ${tokenFrom}`)];
}

/**
 * Looks where the configuration says, if nothing else says where. Without a daemon on the data
 * directory anybody may listen there, so its token stays at home.
 */
function contextFor(context: Context, configured: string | undefined): Context {
  const { url, urlFrom, home, token, tokenIsOwn } = context.located;
  return context.at({
    url: urlFrom === 'the default' ? (configured ?? url) : url,
    token: tokenIsOwn && (urlFrom === 'STOA_PORT' || !livingDaemon(home)) ? undefined : token,
  });
}

async function agentFindings(
  daemon: DaemonPackage,
  writable: readonly string[],
): Promise<Finding[]> {
  try {
    return await checkAgentTools(daemon, writable);
  } catch (error) {
    return [note('sandbox', `could not be tested: ${(error as Error).message}`)];
  }
}

function sqliteFinding(daemon: DaemonPackage): Finding {
  try {
    return checkSqlite(daemon);
  } catch (error) {
    const detail = `SQLite cannot be loaded: ${(error as Error).message}`;
    const fix = 'use Node 22.13 or newer, or compile it for this Node: npm rebuild better-sqlite3';
    return problem('sqlite', detail, fix);
  }
}

async function checkStore(context: Context): Promise<Finding> {
  try {
    const report = await context.client.check();
    const read = `${report.topics} topics, ${report.events} events`;
    if (report.ok) return ok('store', `${read}: every projection matches its log`);
    return problem(
      'store',
      report.problems.join('; '),
      'keep this store for investigation, and restore a backup',
    );
  } catch (error) {
    const detail = `the store was not checked: ${(error as Error).message}`;
    return problem(
      'store',
      detail,
      'the daemon must be running, and the token must be the owner’s',
    );
  }
}

const MARKS: Record<Level, string> = { ok: 'ok', note: 'note', problem: 'PROBLEM' };

function findingsText({ paint }: Context, findings: readonly Finding[]): string {
  const colour = { ok: paint.green, note: paint.yellow, problem: paint.red };
  const lines = findings.map(({ check, level, detail, fix }) => {
    const mark = colour[level](MARKS[level].padEnd(7));
    const line = `${mark}  ${check.padEnd(14)}  ${printableLine(detail)}`;
    return fix === undefined ? line : `${line}\n${' '.repeat(25)}→ ${printableLine(fix)}`;
  });
  const count = findings.filter(({ level }) => level === 'problem').length;
  const end =
    count === 0 ? 'No problem found.' : `${count} problem${count === 1 ? '' : 's'} found.`;
  return [...lines, end].join('\n');
}
