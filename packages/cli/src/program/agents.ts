import {
  ACP_PRESETS,
  APPROVAL_STATES,
  DISPATCH_RULES,
  LASTING_APPROVAL_SCOPES,
  PERMISSION_MODES,
  USAGE_GROUPINGS,
} from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type { AcpOptions } from '../commands/acp.js';
import type { ListAgentsOptions, PutAgentOptions, ShowAgentOptions } from '../commands/agent.js';
import type { AllowOptions, DenyOptions, ListApprovalsOptions } from '../commands/approvals.js';
import type { RunOptions } from '../commands/run.js';
import type { UsageOptions } from '../commands/usage.js';
import { described, duration, inGroup, pageSize, type Runner, runs } from './define.js';

const RUN_EXIT_CODES = `
Words of the agent go to standard output, what it does to standard error. Where a person sits at
the terminal, approvals and questions are asked there; otherwise it is printed how to answer.
Ctrl-C cancels the run; a second one leaves at once.

Background tasks of the agent continue: the command reports them, or waits for them with --wait tasks.

Exit codes: 0 completed, 1 failed (with --wait tasks also when a task or a later run did), 130 cancelled,
3 an approval is open and --no-approval-wait (or --approval-wait is over), 4 interrupted,
5 completed, but background tasks go on.`;

const ACP_WORDS = `
An editor starts this, not a person. Approvals are asked in the editor; they can be answered
elsewhere as well. When the editor closes the pipe, what it asked for and is not done is cancelled.
Remarks go to standard error.`;

function addAgentCommands(program: Command, run: Runner): void {
  runs<RunOptions>(
    program
      .command('run')
      .summary('give an agent one piece of work and watch it')
      .description('Give an agent one piece of work, and print its text as it is written.')
      .argument('<prompt...>', 'the task; - reads it from standard input')
      .option('--agent <agent>', 'the agent (default: the one that Stoa includes)')
      .option('--session <session>', 'continue this session instead of creating one')
      .option('--workspace <directory>', 'where it works (default: this directory)')
      .addOption(
        new Option('--mode <mode>', 'what it may do without asking').choices(PERMISSION_MODES),
      )
      .addOption(
        new Option('--rule <rule>', 'what happens if the session is busy').choices(DISPATCH_RULES),
      )
      .addOption(
        new Option('--wait <what>', 'end background tasks that still run, or wait for them')
          .choices(['none', 'tasks'])
          .default('none'),
      )
      .option(
        '--approval-wait <duration>',
        'how long an approval may stay open, e.g. 10m',
        duration,
      )
      .option('--no-approval-wait', 'end immediately when an approval is needed')
      .addHelpText('after', RUN_EXIT_CODES),
    run,
    async () => (await import('../commands/run.js')).run,
    [
      'stoa run "list the files here and tell me what this is"',
      'stoa run --mode plan "how would you add a test for this?"',
      'git diff | stoa run --json - | jq -r "select(.type == \\"result\\").text"',
    ],
  );

  runs<AcpOptions>(
    program
      .command('acp')
      .summary('offer an agent to an editor')
      .description(
        'Serve sessions to an editor over standard input and output (Agent Client Protocol 1).',
      )
      .option('--agent <agent>', 'the agent (default: the one that Stoa includes)')
      .option('--session <session>', 'continue this session instead of creating one')
      .addOption(
        new Option('--mode <mode>', 'what it may do without asking').choices(PERMISSION_MODES),
      )
      .addHelpText('after', ACP_WORDS),
    run,
    async () => (await import('../commands/acp.js')).acp,
    ['stoa acp', 'stoa acp --agent reviewer --mode plan'],
  );

  const agent = program.command('agent').description('list, create and name agents');
  const load = () => import('../commands/agent.js');
  const onOne = (name: string, summary: string): Command =>
    described(agent, name, summary).argument('<agent>', 'agent id');
  const workspace = [
    '--workspace <directory>',
    'also list the agents of this directory (default: the current one)',
  ] as const;
  runs<ListAgentsOptions>(
    described(agent, 'list', 'list agents, including broken ones')
      .option(...workspace)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listAgents,
    ['stoa agent list', 'stoa agent list --workspace ~/code/stoa'],
  );
  runs<ShowAgentOptions>(
    onOne('show', 'show an agent')
      .option(...workspace)
      .option('--markdown', 'as a file that put accepts'),
    run,
    async () => (await load()).showAgent,
    ['stoa agent show host', 'stoa agent show host --markdown > host.md'],
  );
  runs<PutAgentOptions>(
    onOne('put', 'create or replace an agent from a Markdown file (owner)')
      .argument(
        '[file]',
        'front matter with its fields, then its instructions; - for standard input',
      )
      .addOption(
        new Option('--acp <program>', 'instead of a file: a program that speaks ACP').choices(
          ACP_PRESETS,
        ),
      ),
    run,
    async () => (await load()).putAgent,
    ['stoa agent put reviewer reviewer.md', 'stoa agent put qwen --acp qwen'],
  );
  runs(
    onOne('delete', 'delete an agent that put created (owner)'),
    run,
    async () => (await load()).deleteAgent,
    [],
  );
  runs(
    onOne('nickname', 'set or clear the nickname of an agent').argument(
      '[name...]',
      'the nickname; without one it is cleared',
    ),
    run,
    async () => (await load()).nicknameAgent,
    ['stoa agent nickname reviewer Hawkeye', 'stoa agent nickname reviewer'],
  );

  runs(
    described(agent, 'mcp', 'show the states of the MCP servers of agents').argument(
      '[agent]',
      'only those of this agent',
    ),
    run,
    async () => (await load()).listMcpServers,
    ['stoa agent mcp', 'stoa agent mcp reviewer'],
  );

  addApprovalCommands(program, run);

  runs<UsageOptions>(
    program
      .command('usage')
      .summary('show tokens and cost')
      .description('Show tokens and cost. A cost is shown only if all prices are known.')
      .addOption(
        new Option('--by <what>', 'one line for each').choices(USAGE_GROUPINGS).default('day'),
      )
      .option('--since <when>', 'from this time on: 2026-03-01, or 7d for the last seven days')
      .option('--until <when>', 'up to this time')
      .option('--session <session>', 'only of this session'),
    run,
    async () => (await import('../commands/usage.js')).usage,
    ['stoa usage', 'stoa usage --by model --since 30d'],
  );
}

export const agentCommands = inGroup('Agents:', addAgentCommands);

function addApprovalCommands(program: Command, run: Runner): void {
  const approvals = program
    .command('approvals')
    .description('list and answer the questions of agents');
  const load = () => import('../commands/approvals.js');
  const onOne = (name: string, summary: string): Command =>
    described(approvals, name, summary).argument('<approval>', 'approval id (apr_…)');
  const always = (what: string): Option =>
    new Option('--always <where>', `${what} such calls from now on, here`).choices(
      LASTING_APPROVAL_SCOPES,
    );

  runs<ListApprovalsOptions>(
    described(approvals, 'list', 'list open questions', { isDefault: true })
      .addOption(new Option('--state <state>', 'only those in this state').choices(APPROVAL_STATES))
      .option('--all', 'include settled ones')
      .option('--session <session>', 'only of this session')
      .option('--before <approval>', 'only those before this one')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listApprovals,
    ['stoa approvals', 'stoa approvals list --all'],
  );
  runs(
    onOne('show', 'show one, with its exact arguments'),
    run,
    async () => (await load()).showApproval,
    [],
  );
  runs<AllowOptions>(
    onOne('allow', 'allow exactly this call')
      .addOption(always('allow'))
      .option('--input <json>', 'allow these arguments instead; - for standard input'),
    run,
    async () => (await load()).allowApproval,
    [
      'stoa approvals allow apr_…',
      'stoa approvals allow apr_… --always session',
      `stoa approvals allow apr_… --input '{"command": "npm test"}'`,
    ],
  );
  runs<DenyOptions>(
    onOne('deny', 'deny it')
      .addOption(always('deny'))
      .option('--message <text>', 'a message to the agent'),
    run,
    async () => (await load()).denyApproval,
    ['stoa approvals deny apr_… --message "use pnpm"'],
  );
  runs(
    onOne('answer', 'answer a question').argument('<text...>', 'the answer; - for standard input'),
    run,
    async () => (await load()).answerApproval,
    ['stoa approvals answer apr_… the second one'],
  );
}
