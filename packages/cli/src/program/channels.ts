import { INCLUSIONS, PARTICIPATION_MODES } from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type {
  CreateChannelOptions,
  DeleteChannelOptions,
  ListChannelsOptions,
  UpdateChannelOptions,
} from '../commands/channel.js';
import type { JoinOptions, LeaveOptions } from '../commands/membership.js';
import type { InviteOptions, PolicyOptions } from '../commands/participation.js';
import { collect, inGroup, type Runner, runs } from './define.js';
import { POLICY } from './policy.js';

/** Those of a part are given together: what is left out follows from the id of the channel. */
const IDENTITY = {
  id: 'id of the identity that agents have here',
  name: 'name of the identity that agents have here',
  description: 'their purpose here',
} as const;
const MEMORY = {
  namespace: 'namespace of what they remember here',
  mode: 'isolated keeps it separate; metadata-only only marks it',
} as const;

function addChannelCommands(program: Command, run: Runner): void {
  const channel = program.command('channel').description('create, list and change channels');
  const load = () => import('../commands/channel.js');
  const loadMembership = () => import('../commands/membership.js');
  const on = (name: string, summary: string): Command =>
    channel
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  const onOne = (name: string, summary: string): Command =>
    on(name, summary).argument('<channel>', 'channel id');

  runs<ListChannelsOptions>(
    on('list', 'list channels')
      .argument('[words...]', 'only channels whose id, title or description has these words')
      .addOption(
        new Option('--archived <which>', 'archived channels')
          .choices(INCLUSIONS)
          .default('exclude'),
      )
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listChannels,
    ['stoa channel list', 'stoa channel list design --archived include'],
  );
  runs<CreateChannelOptions>(
    on('create', 'create a channel')
      .argument('<title...>', 'title')
      .option('--id <id>', 'id for commands and addresses (default: a new one)')
      .option('--description <text>', 'the description of the channel')
      .option('--purpose <text>', 'its purpose')
      .option('--identity-id <id>', IDENTITY.id)
      .option('--identity-name <text>', IDENTITY.name)
      .option('--identity-description <text>', IDENTITY.description)
      .option('--memory-namespace <name>', MEMORY.namespace)
      .option('--memory-mode <mode>', MEMORY.mode),
    run,
    async () => (await load()).createChannel,
    [
      'stoa channel create "General" --id general',
      'stoa channel create "Ops" --id ops --identity-name "Ops Bot" --memory-mode isolated',
    ],
  );
  runs(onOne('show', 'show a channel'), run, async () => (await load()).showChannel, []);
  runs<UpdateChannelOptions>(
    onOne('update', 'change title, description, purpose, identity or memory')
      .option('--title <text>', 'new title')
      .option('--description <text>', 'new description; an empty one clears it')
      .option('--purpose <text>', 'new purpose; an empty one clears it')
      .option('--identity-id <id>', IDENTITY.id)
      .option('--identity-name <text>', IDENTITY.name)
      .option('--identity-description <text>', IDENTITY.description)
      .option('--clear-identity', 'reset it to the one that follows from the id of the channel')
      .option('--memory-namespace <name>', MEMORY.namespace)
      .option('--memory-mode <mode>', MEMORY.mode)
      .option('--clear-memory', 'reset it to the one that follows from the id of the channel'),
    run,
    async () => (await load()).updateChannel,
    ['stoa channel update general --purpose "Everything else"'],
  );
  runs(
    onOne('archive', 'make a channel read-only'),
    run,
    async () => (await load()).archiveChannel,
    [],
  );
  runs(
    onOne('unarchive', 'reopen an archived channel'),
    run,
    async () => (await load()).unarchiveChannel,
    [],
  );
  runs<DeleteChannelOptions>(
    onOne('delete', 'erase a channel and its log for good').option('--yes', 'really erase it'),
    run,
    async () => (await load()).deleteChannel,
    ['stoa channel delete scratch --yes'],
  );
  runs(
    onOne('members', 'list the members of a channel'),
    run,
    async () => (await loadMembership()).listMembers,
    [],
  );
  runs<JoinOptions>(
    onOne('join', 'join a channel, or add a person')
      .option('--as <name>', 'the name to show')
      .option('--human <id>', 'add this person instead of yourself')
      .option('--role <text>', 'the role of the member here'),
    run,
    async () => (await loadMembership()).joinChannel,
    ['stoa channel join general', 'stoa channel join general --human bob --role reviewer'],
  );
  runs<LeaveOptions>(
    onOne('leave', 'leave a channel, or remove a person').option(
      '--member <member>',
      'remove this member instead of yourself',
    ),
    run,
    async () => (await loadMembership()).leaveChannel,
    [],
  );
  addParticipationCommands(onOne, run);
}

export const channelCommands = inGroup('Channels and access:', addChannelCommands);

/** How agents take part in a channel. */
function addParticipationCommands(
  onOne: (name: string, summary: string) => Command,
  run: Runner,
): void {
  const load = () => import('../commands/participation.js');
  runs<InviteOptions>(
    onOne('invite', 'add an agent or an existing session')
      .argument('<who>', 'agent id, to create a session of it here, or session id')
      .option('--name <text>', 'the name to show (default: that of the agent)')
      .option('--role <text>', 'its role here')
      .option('--expertise <tags>', 'its expertise, separated by commas')
      .addOption(
        new Option(
          '--mode <mode>',
          'when it gets a turn; channel: the default of the channel',
        ).choices([...PARTICIPATION_MODES, 'channel']),
      )
      .option('--workspace <directory>', 'where a new session works (default: this directory)'),
    run,
    async () => (await load()).inviteToChannel,
    [
      'stoa channel invite general helper',
      'stoa channel invite general reviewer --role "code review" --expertise sql,security',
      'stoa channel invite general ses_… --mode always_listen',
      'stoa channel invite general ses_… --mode channel',
    ],
  );
  runs(
    onOne('pause', 'pause a channel: no agent gets a turn until it is resumed'),
    run,
    async () => (await load()).pauseChannel,
    [],
  );
  runs(
    onOne('resume', 'give turns to agents again, first for messages posted during the pause'),
    run,
    async () => (await load()).resumeChannel,
    [],
  );
  const width = Math.max(...POLICY.map(({ name }) => name.length));
  runs<PolicyOptions>(
    onOne('policy', 'show how agents take part, or change it')
      .option('--set <name=value>', 'change a setting (may be repeated)', collect)
      .option('--reset <name>', 'reset a setting to its default (may be repeated)', collect)
      .addHelpText(
        'after',
        [
          '',
          'Settings; durations as 90s or 10m:',
          ...POLICY.map(({ name, what }) => `  ${name.padEnd(width)}  ${what}`),
          `  ${'defaultParticipationMode'.padEnd(width)}  ${PARTICIPATION_MODES.join(', ')}`,
        ].join('\n'),
      ),
    run,
    async () => (await load()).channelPolicy,
    [
      'stoa channel policy general',
      'stoa channel policy general --set maxAgentRepliesPerHumanMessage=5 --set memberCooldownMs=30s',
    ],
  );
}
