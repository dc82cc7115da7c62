import { VISIBILITY_HINTS } from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type {
  CreateSourceOptions,
  ListObservationsOptions,
  SendObservationOptions,
  UpdateSourceOptions,
} from '../commands/observation.js';
import { described, inGroup, pageSize, type Runner, runs } from './define.js';

function addObservationCommands(program: Command, run: Runner): void {
  const observation = program
    .command('observation')
    .description('let external systems report to a channel');
  const load = () => import('../commands/observation.js');
  const of = (name: string, summary: string): Command =>
    described(observation, name, summary).argument('<source>', 'source id (src_…)');

  runs<ListObservationsOptions>(
    of('list', 'list recent observations of a source, newest first')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listObservations,
    [],
  );
  runs<SendObservationOptions>(
    of('send', 'sign and send an observation, to test a source')
      .argument('<text...>', 'the observation: text, or JSON')
      .option('--delivery <id>', 'id of the observation, accepted once (default: a new one)')
      .addHelpText(
        'after',
        '\nThe secret is read from STOA_OBSERVATION_SECRET, or from standard input.',
      ),
    run,
    async () => (await load()).sendObservation,
    ['stoa observation send src_… "disk 91% full" < secret.txt'],
  );
  addSourceCommands(observation, run);
}

export const observationCommands = inGroup('Channels and access:', addObservationCommands);

function addSourceCommands(observation: Command, run: Runner): void {
  const source = observation
    .command('source')
    .description('manage external sources and the texts they post');
  const load = () => import('../commands/observation.js');
  const inChannel = (name: string, summary: string): Command =>
    described(source, name, summary).argument('<channel>', 'channel id');
  const onOne = (name: string, summary: string): Command =>
    described(source, name, summary).argument('<source>', 'source id (src_…)');
  const template = 'the text to post, with {{path.of.a.field}} of the JSON that is sent';

  runs<CreateSourceOptions>(
    inChannel('create', 'create a source; prints its id and, only now, its secret')
      .argument('<title...>', 'what it is')
      .option(
        '--thread <message>',
        'post in the thread of this root message (default: start a thread)',
      )
      .addOption(
        new Option('--show <where>', 'main: also show it in the feed').choices(VISIBILITY_HINTS),
      )
      .option('--template <text>', template),
    run,
    async () => (await load()).createSource,
    ['stoa observation source create builds "Disk of ci-3" --template "{{host}}: {{message}}"'],
  );
  runs(
    inChannel('list', 'list the sources of a channel'),
    run,
    async () => (await load()).listSources,
    [],
  );
  runs(onOne('show', 'show a source'), run, async () => (await load()).showSource, []);
  runs<UpdateSourceOptions>(
    onOne('update', 'change, enable or disable a source')
      .option('--title <text>', 'new title')
      .option('--template <text>', `${template}; an empty one clears it`)
      .option('--enable', 'accept its observations again')
      .option('--disable', 'refuse its observations'),
    run,
    async () => (await load()).updateSource,
    ['stoa observation source update src_… --disable'],
  );
  runs(
    onOne('rotate', 'create a new secret, printed only now; the old one stops working'),
    run,
    async () => (await load()).rotateSecret,
    [],
  );
  runs(
    onOne('delete', 'delete a source; its observations stay in the channel'),
    run,
    async () => (await load()).deleteSource,
    [],
  );
}
