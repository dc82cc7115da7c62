import type { Command } from 'commander';
import type { HistoryOptions } from '../commands/history.js';
import type { ReactOptions } from '../commands/message.js';
import type { SearchOptions } from '../commands/search.js';
import type { SendOptions } from '../commands/send.js';
import type { TailOptions } from '../commands/tail.js';
import type { UnreadOptions } from '../commands/unread.js';
import type { WhyOptions } from '../commands/why.js';
import { collect, inGroup, pageSize, type Runner, runs, sequence } from './define.js';

function addConversationCommands(program: Command, run: Runner): void {
  runs<SendOptions>(
    program
      .command('send')
      .summary('post a message')
      .description('Post a message. It is stored when the command ends with 0.')
      .argument('<channel>', 'channel id')
      .argument('[text...]', 'the message; - reads it from standard input')
      .option('--reply-to <message>', 'answer a message, in its thread')
      .option('--thread <message>', 'post into the thread of a root message')
      .option('--to <member>', 'address a member (may be repeated)', collect)
      .option('--attach <file>', 'attach a file (may be repeated)', collect)
      .option('--key <key>', 'idempotency key: a repeated call with it posts no second message'),
    run,
    async () => (await import('../commands/send.js')).send,
    [
      'stoa send general Hello, everyone',
      'git log -1 | stoa send builds -',
      'stoa send general "Have a look" --attach plan.pdf --to bob',
    ],
  );

  runs<TailOptions>(
    program
      .command('tail')
      .summary('show the last messages, and new ones as they arrive')
      .description(
        'Show the last messages of a channel, and with --follow everything that happens next.',
      )
      .argument('<channel>', 'channel id')
      .option('-f, --follow', 'follow new messages, until Ctrl-C')
      .option('-n, --lines <count>', 'how many messages to start with', pageSize, 10)
      .option('--since <sequence>', 'start after this sequence instead', sequence)
      .option('--ids', 'show the ids of messages')
      .option('--drafts', 'with --json, also what agents are writing'),
    run,
    async () => (await import('../commands/tail.js')).tail,
    ['stoa tail general -f', 'stoa tail general --since 120 --follow --json | jq .data'],
  );

  runs<HistoryOptions>(
    program
      .command('history')
      .alias('read')
      .summary('page through messages')
      .description('Show messages of a channel or a thread, oldest first.')
      .argument('<channel>', 'channel id')
      .option('--thread <message>', 'only the thread of this root message')
      .option('--feed', 'only root messages')
      .option('--before <sequence>', 'only messages before this sequence', sequence)
      .option('--after <sequence>', 'only messages after this sequence', sequence)
      .option('-n, --limit <count>', 'how many messages', pageSize, 50)
      .option('--ids', 'show the ids of messages')
      .option('--mark-read', 'move the read cursor to the last message shown'),
    run,
    async () => (await import('../commands/history.js')).history,
    ['stoa history general -n 20', 'stoa read general --mark-read'],
  );

  runs<SearchOptions>(
    program
      .command('search')
      .summary('search messages')
      .description('Search messages, newest first.')
      .argument('<words...>', 'the words to search for')
      .option('--channel <channel>', 'only in this channel')
      .option('-n, --limit <count>', 'how many hits', pageSize, 20),
    run,
    async () => (await import('../commands/search.js')).search,
    ['stoa search backup plan', 'stoa search 漢字 --channel general --json'],
  );

  runs<UnreadOptions>(
    program
      .command('unread')
      .summary('list unread messages')
      .option('--all', 'also channels without unread messages'),
    run,
    async () => (await import('../commands/unread.js')).unread,
    [],
  );

  runs<WhyOptions>(
    program
      .command('why')
      .summary('show why agents spoke in a thread, or did not')
      .description(
        'Show the decisions about who speaks in the thread of a message: the trigger, the candidates in their order, and who got the turn.',
      )
      .argument('<message>', 'message id (stoa tail --ids shows them)')
      .option('--channel <channel>', 'the channel of the message (default: search all)')
      .option('-n, --limit <count>', 'how many of the last decisions', pageSize, 20)
      .option('--member <name>', 'only decisions about this member'),
    run,
    async () => (await import('../commands/why.js')).why,
    [
      'stoa why msg_…',
      'stoa why msg_… --member builder',
      'stoa why msg_… --json | jq ".decisions[].candidates"',
    ],
  );

  addMessageCommands(
    program.command('message').description('show, edit, delete and react to messages'),
    run,
  );
}

export const conversationCommands = inGroup('Conversation:', addConversationCommands);

function addMessageCommands(message: Command, run: Runner): void {
  const on = (name: string, summary: string): Command =>
    message
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('<channel>', 'channel id')
      .argument('<message>', 'message id');
  const load = () => import('../commands/message.js');

  runs(on('show', 'show a message'), run, async () => (await load()).showMessage, []);
  runs(
    on('edit', 'replace the text of your message').argument(
      '<text...>',
      'the new text; - for standard input',
    ),
    run,
    async () => (await load()).editMessage,
    ['stoa message edit general msg_… "What I meant"'],
  );
  runs(on('delete', 'delete a message'), run, async () => (await load()).deleteMessage, []);
  runs<ReactOptions>(
    on('react', 'add or remove a reaction to a message')
      .argument('<emoji>', 'the reaction')
      .option('--remove', 'take it back'),
    run,
    async () => (await load()).reactToMessage,
    ['stoa message react general msg_… 👍'],
  );
}
