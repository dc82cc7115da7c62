import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  callerOf,
  FakeModel,
  installProgram,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { scripted, TestChannel } from './test-channel.js';

const HOST = `
turns:
  - { when: { contains: 'a.txt' }, steps: [{ emit: 'I do not read files. @coder does.' }] }
otherwise: [{ pass: true }]
`;

describe('a mixed channel', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const model = async (key: string): Promise<FakeModel> => {
    const started = await FakeModel.start({ key });
    closing.push(() => started.close());
    return started;
  };

  it('C-67 a person, a model, qwen and a script talk: replies, a hand-over, a reaction and an abstention', async ({
    skip,
  }) => {
    const qwen = await installProgram('qwen');
    if (!qwen.command) return skip(qwen.reason);
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-mixed-')));
    closing.push(() => {
      rmSync(directory, { recursive: true, force: true });
    });
    const workspace = join(directory, 'workspace');
    for (const made of [workspace, join(directory, 'home')]) mkdirSync(made);
    const file = join(workspace, 'a.txt');
    writeFileSync(file, 'forty-two\n');
    const thinking = await model('sk-thinking');
    const coding = await model('sk-coding');
    const daemon: TestDaemon = await startDaemon({
      env: {
        OPENAI_BASE_URL: thinking.openaiUrl,
        OPENAI_API_KEY: 'sk-thinking',
        OPENAI_MODEL: 'fake-model',
        QWEN_TEST_KEY: 'sk-coding',
      },
    });
    closing.push(() => daemon.cleanUp());
    const policy = { memberCooldownMs: 0, maxStartedRunsPerHumanMessage: 5 };
    const owner = callerOf(daemon.url, daemon.token);
    const testChannel = await TestChannel.open(owner, { channelId: 'team', policy, workspace });
    await testChannel.invite('host', scripted(HOST));
    await testChannel.invite('thinker', { kind: 'builtin' });
    await testChannel.invite('coder', {
      kind: 'acp',
      preset: 'qwen',
      command: [...qwen.command],
      model: 'fake-model',
      env: {
        HOME: join(directory, 'home'),
        OPENAI_BASE_URL: coding.openaiUrl,
        OPENAI_API_KEY: '$QWEN_TEST_KEY',
      },
    });

    coding.script([
      useTools([toolCall('read_file', { file_path: file })], { text: 'I look.' }),
      say('It says forty-two. @thinker is that right?'),
      ({ tools }) => {
        const pass = tools.find((name) => /^mcp__stoa[0-9a-f]{16}__pass_turn$/.test(name)) ?? '';
        return useTools([toolCall(pass, { reason: 'it was answered' })]);
      },
      say('I pass.'),
    ]);
    thinking.script([
      ({ text }) => {
        const messageId =
          /\[(msg_[0-9a-z]{26})\] (?:session:\S+ )?\W{0,2}coder/.exec(text)?.[1] ?? '';
        return useTools([toolCall('set_channel_reaction', { messageId, emoji: '👍' })]);
      },
      useTools([toolCall('pass_turn', { reason: 'a reaction is enough' })]),
      useTools([toolCall('emit_output', { content: 'No, that was all.' })]),
      say('Answered.'),
    ]);

    const root = await testChannel.post('@host what does a.txt say?');
    expect(await testChannel.closed(root.messageId)).toBe('answered');
    expect(await testChannel.outcomes()).toEqual([
      ['host', 'spoke'],
      ['coder', 'spoke'],
      ['thinker', 'reacted'],
    ]);
    const more = await testChannel.post('Anything else?', { threadRootMessageId: root.messageId });
    const over = async (): Promise<boolean> => {
      const last = (await testChannel.decisions(root.messageId)).at(-1)?.turn;
      return last?.originMessageId === more.messageId && last.outcome !== undefined;
    };
    await until('the second turn is over', over, { timeoutMs: 60_000 });

    expect(await testChannel.read()).toEqual([
      'owner: @host what does a.txt say?',
      'host: I do not read files. @coder does.',
      'coder: It says forty-two. @thinker is that right?',
      'owner: Anything else?',
      'thinker: No, that was all.',
    ]);
    const [, , ofCoder, , last] = await testChannel.messages();
    expect(ofCoder?.reactions).toMatchObject([{ emoji: '👍', count: 1 }]);
    expect(last?.replyToMessageId).toBe(more.messageId);
    expect((await testChannel.outcomes()).slice(3)).toEqual([
      ['coder', 'abstained'],
      ['host', 'abstained'],
      ['thinker', 'spoke'],
    ]);
    const decisions = await testChannel.decisions(root.messageId);
    const granted = decisions.flatMap(({ granted: [to], candidates, trigger }) =>
      to
        ? [[trigger.type, to.memberId, candidates.find((of) => of.verdict === 'granted')?.reason]]
        : [],
    );
    expect(granted).toEqual([
      ['message', 'host', 'addressed'],
      ['run_ended', 'coder', 'called'],
      ['run_ended', 'thinker', 'called'],
      ['message', 'coder', 'last_in_thread'],
      ['run_ended', 'host', 'member'],
      ['run_ended', 'thinker', 'member'],
    ]);
    coding.assertPlayed();
    thinking.assertPlayed();
  }, 120_000);
});
