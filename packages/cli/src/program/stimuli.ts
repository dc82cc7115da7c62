import {
  REVIEW_VERDICTS,
  STIMULUS_KINDS,
  STIMULUS_STATES,
  VISIBILITY_HINTS,
  WORK_STATUSES,
} from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type { CreateStimulusOptions, ListStimuliOptions } from '../commands/stimulus.js';
import type { ListWorkOptions, UpdateWorkOptions } from '../commands/work.js';
import { collect, described, inGroup, pageSize, type Runner, runs, sequence } from './define.js';

function addStimulusCommands(program: Command, run: Runner): void {
  const stimulus = program
    .command('stimulus')
    .description('give a channel a reason to speak, and show the outcome');
  const load = () => import('../commands/stimulus.js');
  const on = (name: string, summary: string): Command =>
    described(stimulus, name, summary).argument('<channel>', 'channel id');
  const onOne = (name: string, summary: string): Command =>
    on(name, summary).argument('<stimulus>', 'stimulus id (stm_…)');

  runs<CreateStimulusOptions>(
    on('create', 'create a stimulus, and print its id')
      .argument('<text...>', 'the text to post; - reads it from standard input')
      .addOption(
        new Option('--kind <kind>', 'what it is').choices(STIMULUS_KINDS).makeOptionMandatory(),
      )
      .option(
        '--thread <message>',
        'post in the thread of this root message (default: start a thread)',
      )
      .addOption(
        new Option('--show <where>', 'main: also show it in the feed').choices(VISIBILITY_HINTS),
      )
      .option('--to <member>', 'address a member (may be repeated)', collect)
      .option('--dedupe <key>', 'of waiting ones with the same key, the newest replaces the others')
      .option('--progress <key>', 'a progress stream: only its newest message is shown')
      .option('--source <kind:id>', 'its origin, such as task:42')
      .option('--expires <duration>', 'not posted after this, such as 10m')
      .option('--key <key>', 'idempotency key: a repeated call with it creates no second one'),
    run,
    async () => (await load()).createStimulus,
    [
      'stoa stimulus create builds --kind task_completed "the nightly build is green"',
      'stoa stimulus create builds --kind result_summary --thread msg_… --show main "It is out"',
    ],
  );
  runs<ListStimuliOptions>(
    on('list', 'list waiting and recently ended ones, newest first')
      .addOption(new Option('--state <state>', 'only in this state').choices(STIMULUS_STATES))
      .option('--thread <message>', 'only of this thread')
      .option('--before <sequence>', 'only older ones', sequence)
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listStimuli,
    ['stoa stimulus list builds --state dead_letter'],
  );
  runs(
    onOne('show', 'show one, with its outcome'),
    run,
    async () => (await load()).showStimulus,
    [],
  );
  runs(
    onOne('replay', 'retry a dead letter or a cancelled one'),
    run,
    async () => (await load()).replayStimulus,
    [],
  );
  runs(onOne('cancel', 'cancel a waiting one'), run, async () => (await load()).cancelStimulus, []);
  addWorkCommands(program, run);
}

export const stimulusCommands = inGroup('Channels and access:', addStimulusCommands);

/** What threads are worked on for, and how far that is. */
function addWorkCommands(program: Command, run: Runner): void {
  const work = program.command('work').description('show and change the progress of threads');
  const load = () => import('../commands/work.js');
  const onOne = (name: string, summary: string): Command =>
    described(work, name, summary)
      .argument('<channel>', 'channel id')
      .argument('<message>', 'root message of the thread');
  runs<ListWorkOptions>(
    described(work, 'list', 'list the threads of a channel that have work, newest first')
      .argument('<channel>', 'channel id')
      .option('--open', 'only open work')
      .option('--before <message>', 'only older threads')
      .option('-n, --limit <count>', 'how many', pageSize, 50),
    run,
    async () => (await load()).listWork,
    ['stoa work list builds --open'],
  );
  runs(onOne('show', 'show the work of a thread'), run, async () => (await load()).showWork, []);
  runs<UpdateWorkOptions>(
    onOne('update', 'record a status, a verdict or an owner')
      .addOption(new Option('--status <status>', 'it only rises').choices(WORK_STATUSES))
      .option('--reopen', 'allow a lower status')
      .addOption(new Option('--verdict <verdict>', 'of a review').choices(REVIEW_VERDICTS))
      .option('--note <text>', 'the note of the review')
      .option('--superseded-by <message>', 'the thread that replaces it')
      .option('--owner <session>', 'the owner; empty for none'),
    run,
    async () => (await load()).updateWork,
    [
      'stoa work update builds msg_… --verdict approved --note "ship it"',
      'stoa work update builds msg_… --status active --reopen',
    ],
  );
}
