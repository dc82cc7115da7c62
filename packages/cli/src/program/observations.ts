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
    of('list', 'list what came from a source lately, newest first')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one a line'),
    run,
    async () => (await load()).listObservations,
    [],
  );
  runs<SendObservationOptions>(
    of('send', 'sign and send one, to try a source out')
      .argument('<text...>', 'what was seen: text, or JSON')
      .option('--delivery <id>', 'the same one is taken once (else one is made)')
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
    .description('external sources and the text of their observations');
  const load = () => import('../commands/observation.js');
  const inChannel = (name: string, summary: string): Command =>
    described(source, name, summary).argument('<channel>', 'channel id');
  const onOne = (name: string, summary: string): Command =>
    described(source, name, summary).argument('<source>', 'source id (src_…)');
  const template = 'the text to post, with {{path.of.a.field}} of the JSON that is sent';

  runs<CreateSourceOptions>(
    inChannel('create', 'make a source; prints its id and, this once, its secret')
      .argument('<title...>', 'what it is')
      .option('--thread <message>', 'for the thread of a root message; else a subject of its own')
      .addOption(
        new Option('--show <where>', 'main: in the feed as well').choices(VISIBILITY_HINTS),
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
    onOne('update', 'change a source, or turn it off and on')
      .option('--title <text>', 'new title')
      .option('--template <text>', `${template}; an empty one clears it`)
      .option('--enable', 'take what it tells again')
      .option('--disable', 'refuse what it tells'),
    run,
    async () => (await load()).updateSource,
    ['stoa observation source update src_… --disable'],
  );
  runs(
    onOne('rotate', 'give it a new secret, printed this once; the one before ends at once'),
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
