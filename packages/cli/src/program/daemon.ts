import { Argument, type Command } from 'commander';
import type { ConfigOptions } from '../commands/config.js';
import type { DemoOptions } from '../commands/demo.js';
import type { DoctorOptions } from '../commands/doctor.js';
import type { ServeOptions } from '../commands/serve.js';
import { SHELLS } from '../completion/shells.js';
import { inGroup, port, type Runner, runs } from './define.js';

function addDaemonCommands(program: Command, run: Runner): void {
  runs<ServeOptions>(
    program
      .command('serve')
      .summary('run the daemon')
      .description('Run the daemon in the foreground, until Ctrl-C.')
      .option('--port <port>', 'port to listen on (STOA_PORT)', port)
      .option('--host <host>', 'address to listen on')
      .option('--config <file>', 'configuration file (default: stoa.yaml in the data directory)'),
    run,
    async () => (await import('../commands/serve.js')).serve,
    ['stoa serve', 'stoa serve --port 8000 --home ./data'],
  );
  runs<DemoOptions>(
    program
      .command('demo')
      .summary('watch scripted agents share a channel, for two minutes')
      .description(
        'Play a conversation of scripted agents: in a new channel of the running daemon, or with a temporary daemon. Uses no model.',
      )
      .option('--fast', 'without pauses'),
    run,
    async () => (await import('../commands/demo.js')).demo,
    ['stoa demo', 'stoa demo --fast'],
  );
  runs(
    program.command('status').summary('show the engine, the counts and the warnings of the daemon'),
    run,
    async () => (await import('../commands/status.js')).status,
    ['stoa status', 'stoa status --json'],
  );
  runs<DoctorOptions>(
    program
      .command('doctor')
      .summary('find problems of a set-up and suggest fixes')
      .description('Check the set-up, with or without a running daemon. Ends with 1 on a problem.')
      .option('--deep', 'also check the whole store')
      .option('--config <file>', 'configuration file'),
    run,
    async () => (await import('../commands/doctor.js')).doctor,
    ['stoa doctor', 'stoa doctor --deep --json'],
  );
  runs(
    program
      .command('backup')
      .summary('copy the data while the daemon runs')
      .description('Write a consistent copy of the data, on the machine of the daemon.')
      .argument('[directory]', 'the target directory (default: backups/ in the data directory)'),
    run,
    async () => (await import('../commands/backup.js')).backup,
    ['stoa backup', 'stoa backup /mnt/backup/stoa'],
  );

  const config = program.command('config').description('show and check the configuration');
  const loadConfig = () => import('../commands/config.js');
  const onConfig = (name: string, summary: string): Command =>
    config.command(name).summary(summary).option('--config <file>', 'configuration file');
  runs(
    config.command('schema').summary('print the JSON Schema of stoa.yaml, for editors'),
    run,
    async () => (await loadConfig()).configSchema,
    ['stoa config schema > stoa.schema.json'],
  );
  runs<ConfigOptions>(
    onConfig('show', 'print the configuration a daemon would start with'),
    run,
    async () => (await loadConfig()).showConfig,
    [],
  );
  runs<ConfigOptions>(
    onConfig('check', 'check the configuration without starting'),
    run,
    async () => (await loadConfig()).checkConfig,
    [],
  );

  runs(
    program
      .command('completion')
      .summary('print the completion script of a shell')
      .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS)),
    run,
    async () => (await import('../commands/completion.js')).completionOf(program),
    [
      'source <(stoa completion bash)',
      'stoa completion zsh > "${fpath[1]}/_stoa"',
      'stoa completion fish > ~/.config/fish/completions/stoa.fish',
    ],
  );
}

export const daemonCommands = inGroup('Daemon:', addDaemonCommands);
