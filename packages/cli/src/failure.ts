import path from 'node:path';
import { StoaProblem } from '@stoa/client';
import type { ErrorCode, Issue } from '@stoa/protocol';
import { EXIT, type ExitCode } from './exit-code.js';
import { printableLine } from './terminal/printable.js';

/** The command line is invalid. */
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
  /** Undefined without a token. */
  readonly tokenFrom: string | undefined;
  /** Arguments of the command by their names: `channel`, `session`. */
  readonly named?: Readonly<Record<string, string>>;
}

const MEMBERS = 'see the members: stoa channel members CHANNEL';

const WHO =
  'name a person who has a token (stoa token list), or a session by its id (stoa session list)';

const HINTS: Partial<Record<ErrorCode, string>> = {
  not_member: 'join the channel first: stoa channel join CHANNEL',
  not_author: 'only the author may edit; the author and the owner may delete',
  forbidden: 'ask the owner of this daemon, or use a token that may do this',
  host_not_allowed: 'use the address that the daemon listens on',
  channel_not_found: 'see which channels exist: stoa channel list --archived include',
  channel_archived: 'open it again: stoa channel unarchive CHANNEL',
  channel_exists: 'choose another id: ids are never reused',
  message_not_found: 'see the ids of messages: stoa history CHANNEL --ids',
  member_not_found: MEMBERS,
  unknown_member: MEMBERS,
  memory_not_found: 'see the memories and their ids: stoa memory list',
  stimulus_not_found: 'see the stimuli: stoa stimulus list CHANNEL',
  source_not_found: 'see the sources: stoa observation source list CHANNEL',
  work_not_found: 'see the thread work: stoa work list CHANNEL',
  task_not_found: 'see the tasks: stoa tasks',
  project_not_found: 'see the projects: stoa project list',
  channel_linked: 'unlink it first: stoa project unlink PROJECT CHANNEL',
  session_in_project: 'remove it first: stoa project member PROJECT MEMBER --remove',
  agent_not_found: 'see the agents: stoa agent list',
  unknown_agent: 'see the agents: stoa agent list',
  agent_broken: 'correct its definition; see what is wrong: stoa agent list',
  agent_exists: 'choose another id, or replace it: stoa agent put ID FILE',
  agent_in_file: 'edit the file, or create an agent with another id',
  invalid_workspace: 'name a directory on the machine of the daemon: --workspace DIRECTORY',
  session_not_found: 'see the sessions: stoa session list --ended include',
  session_ended: 'create another: stoa session new',
  session_busy: 'wait until it is done, or cancel it: stoa session cancel SESSION',
  run_not_found: 'see the runs: stoa session runs SESSION',
  item_not_found: 'see the items: stoa session inbox SESSION',
  item_not_dead:
    'only dead letters can be replayed; see them: stoa session inbox SESSION --state dead_letter',
  approval_not_found: 'see what was asked: stoa approvals --all',
  approval_settled: 'the first answer counts; see it: stoa approvals show APPROVAL',
  schedule_not_found: 'see the schedules: stoa schedule list',
  inbox_full: 'wait until it has processed some items, or drop them: stoa session clear SESSION',
  token_not_found: 'see the tokens: stoa token list',
  idempotency_conflict: 'a key identifies one message: use another --key',
  payload_too_large: 'an attachment may have at most 12 MiB',
  storage_full: 'free some space on the disk of the data directory; nothing was stored',
  storage_unavailable: 'see what is wrong: stoa doctor',
  internal: 'see the log of the daemon, and run: stoa doctor --deep',
};

export function explain(error: unknown, where: Surroundings | undefined): Explanation {
  if (error instanceof UsageError) {
    return { ...plain(error.message, 'usage', EXIT.usage), hint: error.hint };
  }
  if (!(error instanceof StoaProblem)) return explainOther(error);
  return {
    what: error.detail,
    code: error.code,
    // The daemon begins with the first of them.
    issues: error.issues.filter(({ message }) => !error.detail.endsWith(message)),
    hint: hintFor(error, where),
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

const UNREACHABLE: ReadonlySet<ErrorCode> = new Set(['daemon_unreachable', 'daemon_not_proven']);

function exitCodeFor(problem: StoaProblem): ExitCode {
  if (UNREACHABLE.has(problem.code)) return EXIT.unreachable;
  return problem.status === 401 || problem.status === 403 ? EXIT.denied : EXIT.failure;
}

function hintFor(
  { code, issues }: StoaProblem,
  where: Surroundings | undefined,
): string | undefined {
  if (code === 'daemon_unreachable' && where) {
    return `start one with: stoa serve (the address came from ${where.urlFrom})`;
  }
  if (code === 'daemon_not_proven' && where) {
    return `the address came from ${where.urlFrom}, the token from ${where.tokenFrom ?? 'nowhere'}: do they belong together?`;
  }
  if (code === 'unauthenticated' && where) return tokenHint(where);
  if (code === 'unknown_member' && where?.named?.['who'] !== undefined) return WHO;
  const hint = HINTS[code === 'invalid_request' ? (missedBy(issues) ?? code) : code];
  return hint === undefined ? undefined : withNames(hint, where?.named ?? {});
}

function tokenHint({ home, tokenFrom }: Surroundings): string {
  if (tokenFrom === undefined) {
    return 'no token found: set STOA_TOKEN, or STOA_HOME to the data directory of the daemon';
  }
  return tokenFrom === path.join(home, 'token')
    ? `this daemon does not accept the token: is ${home} its data directory (STOA_HOME)?`
    : `the token came from ${tokenFrom}: correct it, or omit it to use the token of ${home}`;
}

/** What is not even an id is looked for where one would be that is of nothing. */
function missedBy(issues: readonly Issue[]): ErrorCode | undefined {
  const [first] = issues;
  if (!first?.message.startsWith('is not ')) return undefined;
  const field = first.path.split('.').at(-1) ?? '';
  return KINDS.find(([ending]) => field.toLowerCase().endsWith(ending))?.[1];
}

const KINDS: readonly (readonly [string, ErrorCode])[] = [
  ['channelid', 'channel_not_found'],
  ['messageid', 'message_not_found'],
  ['memberid', 'member_not_found'],
  ['sessionid', 'session_not_found'],
  ['runid', 'run_not_found'],
  ['itemid', 'item_not_found'],
  ['approvalid', 'approval_not_found'],
  ['scheduleid', 'schedule_not_found'],
  ['stimulusid', 'stimulus_not_found'],
  ['sourceid', 'source_not_found'],
  ['credentialid', 'token_not_found'],
  ['projectid', 'project_not_found'],
  ['taskid', 'task_not_found'],
  ['agentid', 'agent_not_found'],
];

/** With the names that the command was given, and in a project with what belongs to it. */
function withNames(hint: string, named: Readonly<Record<string, string>>): string {
  const { project } = named;
  const meant = project === undefined ? hint : (OF_PROJECT[hint] ?? hint);
  return meant.replace(/\b(?:CHANNEL|SESSION|PROJECT|APPROVAL)\b/g, (word) => {
    const name = named[word.toLowerCase()];
    return name !== undefined && /^[\w.:-]+$/.test(name) ? name : word;
  });
}

const OF_PROJECT: Readonly<Record<string, string>> = {
  [MEMBERS]: 'see the members: stoa project show PROJECT',
  'see the tasks: stoa tasks': 'see the tasks: stoa project task list PROJECT',
};
