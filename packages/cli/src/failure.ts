import { StoaProblem } from '@stoa/client';
import type { ErrorCode, Issue } from '@stoa/protocol';
import { EXIT, type ExitCode } from './exit-code.js';
import { printableLine } from './terminal/printable.js';

/** The command line cannot mean anything as it stands. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

export interface Explanation {
  readonly what: string;
  readonly code: string;
  readonly issues: readonly Issue[];
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
}

/** Where the command looked for the daemon, if it got that far. */
export interface Surroundings {
  readonly home: string;
  readonly url: string;
  readonly urlFrom: string;
  readonly hasToken: boolean;
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  not_member: 'join the channel first: stoa channel join CHANNEL',
  not_author: 'only the author may edit; the author and the owner may delete',
  forbidden: 'ask the owner of this Stoa, or use a token that may do this',
  host_not_allowed: 'reach the daemon by the address it listens on',
  channel_not_found: 'see which channels exist: stoa channel list --archived include',
  channel_archived: 'open it again: stoa channel unarchive CHANNEL',
  channel_exists: 'choose another id: ids are never used twice',
  message_not_found: 'see the ids of messages: stoa history CHANNEL --ids',
  member_not_found: 'see the members: stoa channel members CHANNEL',
  unknown_member: 'see the members: stoa channel members CHANNEL',
  project_not_found: 'see which projects there are: stoa project list',
  channel_linked: 'unlink it first: stoa project unlink PROJECT CHANNEL',
  session_in_project: 'take it out first: stoa project member PROJECT MEMBER --remove',
  agent_not_found: 'see which agents there are: stoa agent list',
  unknown_agent: 'see which agents there are: stoa agent list',
  agent_broken: 'correct its definition; what is wrong: stoa agent list',
  agent_exists: 'make it with another id, or replace it: stoa agent put ID FILE',
  agent_in_file: 'edit the file, or make an agent with another id',
  invalid_workspace: 'name a directory on the machine of the daemon: --workspace DIRECTORY',
  session_not_found: 'see the sessions: stoa session list --ended include',
  session_ended: 'make another: stoa session new',
  session_busy: 'wait until it is done, or cancel it: stoa session cancel SESSION',
  run_not_found: 'see the runs: stoa session runs SESSION',
  item_not_found: 'see the items: stoa session inbox SESSION',
  item_not_dead: 'only dead letters: stoa session inbox SESSION --state dead_letter',
  approval_not_found: 'see what was asked: stoa approvals --all',
  approval_settled: 'the first answer counts; see it: stoa approvals show APPROVAL',
  schedule_not_found: 'see the schedules: stoa schedule list',
  inbox_full: 'let it work off what waits, or drop it: stoa session clear SESSION',
  token_not_found: 'see the tokens: stoa token list',
  idempotency_conflict: 'a key stands for one message: use another --key',
  payload_too_large: 'an attachment may have 12 MiB',
  storage_full: 'make room on the disk of the data directory; nothing was stored',
  storage_unavailable: 'see what is wrong: stoa doctor',
  internal: 'the log of the daemon says more; see also: stoa doctor --deep',
};

export function explain(error: unknown, where: Surroundings | undefined): Explanation {
  if (error instanceof UsageError) {
    return { ...plain(error.message, 'usage', EXIT.usage), hint: error.hint };
  }
  if (!(error instanceof StoaProblem)) return explainOther(error);
  return {
    what: error.detail,
    code: error.code,
    issues: error.issues,
    hint: hintFor(error.code, where),
    exitCode: exitCodeFor(error),
  };
}

export function explanationText({ what, code, issues, hint }: Explanation): string {
  const lines = [
    `stoa: ${printableLine(what)} (${code})`,
    ...issues.map((issue) => `  ${printableLine(`${issue.path}: ${issue.message}`)}`),
    ...(hint === undefined ? [] : [`  ${printableLine(hint)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The daemon's own errors are known by their shape: their class would bring all schemas with it. */
function explainOther(error: unknown): Explanation {
  if (!(error instanceof Error)) return plain(String(error), 'internal', EXIT.failure);
  const { code, issues } = error as Error & { code?: unknown; issues?: readonly Issue[] };
  if (error.name !== 'StoaError' || typeof code !== 'string') {
    return plain(error.message, 'internal', EXIT.failure);
  }
  const [what = ''] = error.message.split('\n');
  return { ...plain(what.replace(/:$/, ''), code, EXIT.failure), issues: issues ?? [] };
}

function plain(what: string, code: string, exitCode: ExitCode): Explanation {
  return { what, code, issues: [], hint: undefined, exitCode };
}

function exitCodeFor(problem: StoaProblem): ExitCode {
  if (problem.code === 'daemon_unreachable') return EXIT.unreachable;
  return problem.status === 401 || problem.status === 403 ? EXIT.denied : EXIT.failure;
}

function hintFor(code: ErrorCode, where: Surroundings | undefined): string | undefined {
  if (code === 'daemon_unreachable' && where) {
    return `start one with: stoa serve (the address came from ${where.urlFrom})`;
  }
  if (code === 'unauthenticated' && where) {
    return where.hasToken
      ? `the token is not one of this daemon: is ${where.home} its data directory (STOA_HOME)?`
      : `no token found: set STOA_TOKEN, or STOA_HOME to the data directory of the daemon`;
  }
  return HINTS[code];
}
