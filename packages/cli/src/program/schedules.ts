import { MISFIRES, OVERLAPS } from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type { AddScheduleOptions, ListSchedulesOptions } from '../commands/schedule.js';
import { count, described, duration, inGroup, pageSize, type Runner, runs } from './define.js';

function addScheduleCommands(program: Command, run: Runner): void {
  const schedule = program.command('schedule').description('give sessions work at set times');
  const load = () => import('../commands/schedule.js');
  const onOne = (name: string, summary: string): Command =>
    described(schedule, name, summary).argument('<schedule>', 'schedule id (sch_…)');

  runs<AddScheduleOptions>(
    described(schedule, 'add', 'create a schedule, and print its id')
      .argument('<text...>', 'the task of each run; - reads it from standard input')
      .requiredOption('--session <session>', 'the session that gets the work')
      .option('--cron <expression>', 'five fields, or six with seconds first')
      .option('--time-zone <zone>', 'zone of --cron, e.g. Europe/Berlin (default: this machine’s)')
      .option('--every <duration>', 'repeat at this interval, e.g. 90s, 10m, 1h30m', duration)
      .option('--at <time>', 'once, e.g. 2026-03-01T09:00 or 2026-03-01T09:00Z')
      .addOption(
        new Option('--overlap <rule>', 'if the last run is not done (default: skip)').choices(
          OVERLAPS,
        ),
      )
      .addOption(
        new Option(
          '--misfire <rule>',
          'if no daemon ran when it was due (default: coalesce_once)',
        ).choices(MISFIRES),
      )
      .option('--max-fires <count>', 'end it after this many fires', count)
      .option('--title <text>', 'what lists show (default: the first line of the text)')
      .option('--key <key>', 'idempotency key: a repeated call with it creates no second one'),
    run,
    async () => (await load()).addSchedule,
    [
      'stoa schedule add --session ses_… --cron "0 9 * * 1-5" what happened since yesterday?',
      'stoa schedule add --session ses_… --every 10m --overlap queue_one "is the build green?"',
    ],
  );
  runs<ListSchedulesOptions>(
    described(schedule, 'list', 'list schedules, newest first')
      .option('--session <session>', 'only of this session')
      .option('--before <schedule>', 'only those before this one')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listSchedules,
    [],
  );
  runs(onOne('show', 'show a schedule'), run, async () => (await load()).showSchedule, []);
  runs(onOne('pause', 'pause a schedule'), run, async () => (await load()).pauseSchedule, []);
  runs(
    onOne('resume', 'resume a paused schedule'),
    run,
    async () => (await load()).resumeSchedule,
    [],
  );
  runs(onOne('trigger', 'fire it once now'), run, async () => (await load()).triggerSchedule, []);
  runs(
    onOne('remove', 'end a schedule; it stays in the list'),
    run,
    async () => (await load()).removeSchedule,
    [],
  );
}

export const scheduleCommands = inGroup('Agents:', addScheduleCommands);
