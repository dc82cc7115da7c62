import {
  DISPATCH_RULES,
  INBOX_ITEM_STATES,
  INCLUSIONS,
  PERMISSION_MODES,
  WORK_KINDS,
} from '@stoa/protocol/constants';
import { Argument, type Command, Option } from 'commander';
import type { ListSessionsOptions, NewSessionOptions, SubmitOptions } from '../commands/session.js';
import type { FollowSessionOptions } from '../commands/session-follow.js';
import type { InboxOptions, JournalOptions, RunsOptions } from '../commands/session-work.js';
import {
  count,
  described,
  inGroup,
  pageSize,
  priority,
  type Runner,
  runs,
  sequence,
} from './define.js';

function addSessionCommands(program: Command, run: Runner): void {
  const session = program.command('session').description('create, watch and steer sessions');
  const load = () => import('../commands/session.js');
  const on = (name: string, summary: string): Command => described(session, name, summary);
  const onOne = (name: string, summary: string): Command =>
    on(name, summary).argument('<session>', 'session id (ses_…)');

  runs<ListSessionsOptions>(
    on('list', 'list sessions, newest first')
      .option('--agent <agent>', 'only of this agent')
      .addOption(
        new Option('--ended <which>', 'sessions that have ended')
          .choices(INCLUSIONS)
          .default('exclude'),
      )
      .option('--before <session>', 'only those before this one')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listSessions,
    ['stoa session list', 'stoa session list --agent reviewer --ended include'],
  );
  runs<NewSessionOptions>(
    on('new', 'create a session, and print its id')
      .option('--agent <agent>', 'the agent (default: the one that Stoa includes)')
      .option('--workspace <directory>', 'where it works (default: this directory)')
      .option('--title <text>', 'what it is about')
      .addOption(
        new Option('--mode <mode>', 'what it may do without asking').choices(PERMISSION_MODES),
      )
      .option(
        '--parent <session>',
        'the parent session; its authority is the limit of the new one',
      ),
    run,
    async () => (await load()).newSession,
    ['stoa session new --agent reviewer --mode plan'],
  );
  runs(onOne('show', 'show a session'), run, async () => (await load()).showSession, []);
  runs<SubmitOptions>(
    onOne('send', 'give a session work; it is stored when the command ends')
      .argument('<text...>', 'the task; - reads it from standard input')
      .addOption(
        new Option('--rule <rule>', 'what happens if it is busy (default: followup)').choices(
          DISPATCH_RULES,
        ),
      )
      .option('--priority <priority>', '0 to 9; higher goes first', priority)
      .option('--key <key>', 'idempotency key: a repeated call with it adds no second item'),
    run,
    async () => (await load()).submitToSession,
    [
      'stoa session send ses_… and now the tests',
      'stoa session send ses_… --rule steer "stop that"',
    ],
  );
  runs(
    onOne('mode', 'show or change what it may do without asking').addArgument(
      new Argument('[mode]', 'the new mode').choices(PERMISSION_MODES),
    ),
    run,
    async () => (await load()).sessionMode,
    ['stoa session mode ses_… auto-edit'],
  );
  runs(
    on('cancel', 'cancel the active run of a session, or a run by its id').argument(
      '<session>',
      'session id (ses_…) or run id (run_…)',
    ),
    run,
    async () => (await load()).cancelRun,
    [],
  );
  runs(
    onOne('clear', 'start with an empty context; cancels active and drops waiting work'),
    run,
    async () => (await load()).clearSession,
    [],
  );
  runs(
    on('refresh', 'update it to the current definition of its agent; it must be idle').argument(
      '<session...>',
      'session ids (ses_…)',
    ),
    run,
    async () => (await load()).refreshSession,
    [],
  );
  runs(
    onOne('end', 'end a session for good; its journal stays'),
    run,
    async () => (await load()).endSession,
    [],
  );
  addWorkCommands(onOne, on, run);
}

export const sessionCommands = inGroup('Agents:', addSessionCommands);

type On = (name: string, summary: string) => Command;

function addWorkCommands(onOne: On, on: On, run: Runner): void {
  const load = () => import('../commands/session-work.js');
  runs<InboxOptions>(
    onOne('inbox', 'the items of a session and their outcomes')
      .addOption(
        new Option('--state <state>', 'only items in this state').choices(INBOX_ITEM_STATES),
      )
      .addOption(new Option('--kind <kind>', 'only items of this kind').choices(WORK_KINDS))
      .option('--before <sequence>', 'only those before this one', sequence)
      .option('-n, --limit <count>', 'how many', pageSize, 50),
    run,
    async () => (await load()).showInbox,
    ['stoa session inbox ses_… --state dead_letter'],
  );
  runs(
    on('replay', 'put a dead letter back into its inbox').argument('<item>', 'item id (itm_…)'),
    run,
    async () => (await load()).replayItem,
    [],
  );
  runs<JournalOptions>(
    onOne('journal', 'inputs, messages and calls, oldest first')
      .option('--after <sequence>', 'only events after this sequence', sequence)
      .option('-n, --limit <count>', 'how many entries', count, 500)
      .option('--full', 'show the whole results of tools, not only their beginning'),
    run,
    async () => (await load()).showJournal,
    [],
  );
  runs<RunsOptions>(
    onOne('runs', 'the runs of a session, newest first')
      .option('--before <run>', 'only those before this one')
      .option('-n, --limit <count>', 'how many', pageSize, 20),
    run,
    async () => (await load()).showRuns,
    [],
  );
  runs<FollowSessionOptions>(
    onOne('follow', 'watch a session and its text as it is written, until Ctrl-C').option(
      '--since <sequence>',
      'start after this sequence instead of now',
      sequence,
    ),
    run,
    async () => (await import('../commands/session-follow.js')).followSession,
    ['stoa session follow ses_…', 'stoa session follow ses_… --since 0 --json'],
  );
}
