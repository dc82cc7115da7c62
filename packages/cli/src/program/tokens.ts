import type { Command } from 'commander';
import type { MintOptions } from '../commands/token.js';
import { inGroup, type Runner, runs } from './define.js';

function addTokenCommands(program: Command, run: Runner): void {
  runs(
    program
      .command('login')
      .summary('print a link that signs a browser in')
      .description('Print a one-time link for a browser. It works once and for ten minutes.'),
    run,
    async () => (await import('../commands/login.js')).login,
    ['stoa login', 'xdg-open "$(stoa login)"'],
  );

  const token = program.command('token').description('create, list and revoke tokens (owner)');
  const load = () => import('../commands/token.js');
  runs<MintOptions>(
    token
      .command('mint')
      .summary('create a token for a person')
      .description('Create a named token for a person. It is printed once and not stored.')
      .argument('<human>', 'id of the person, e.g. bob')
      .requiredOption('--name <name>', 'what the token is for, e.g. laptop')
      .option('--display-name <name>', 'the name to show'),
    run,
    async () => (await load()).mintToken,
    ['stoa token mint bob --name laptop', 'stoa token mint bob --name ci > bob.token'],
  );
  runs(
    token.command('list').summary('list tokens, without their secrets'),
    run,
    async () => (await load()).listTokens,
    [],
  );
  runs(
    token
      .command('revoke')
      .summary('revoke a token and end its live streams')
      .argument('<token>', 'id of the token (crd_…)'),
    run,
    async () => (await load()).revokeToken,
    ['stoa token revoke crd_…'],
  );
}

export const tokenCommands = inGroup('Channels and access:', addTokenCommands);
