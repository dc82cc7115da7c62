import type { Message, PostMessage, Principal } from '@stoa/protocol';
import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnStage } from '../../turns/turn-stage.fixture.js';

const ADA: Principal = { kind: 'human', id: 'ada', owner: false, credentialId: 'crd_ada' };

describe.each(STORE_ENGINES)('commands about turns on $name', (engine) => {
  let stage: TurnStage;
  const open = async (names: readonly string[], speakers = 1): Promise<void> => {
    stage = await TurnStage.open(engine, names, { maxParallelPublicSpeakers: speakers });
  };
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });
  const give = async (text: string, request: Partial<PostMessage> = {}): Promise<string> => {
    const { author, inputItems } = await stage.say(text, request);
    expect(author).toEqual({ kind: 'system', id: 'system', displayName: 'Stoa' });
    const [item] = inputItems;
    return item?.type === 'text' ? item.text : '';
  };
  const inThread = ({ messageId }: Message) => ({ threadRootMessageId: messageId });

  it('C-66 /cancel ends the turns of its thread, and nobody else starts', async () => {
    await open(['a', 'b', 'c'], 2);
    const root = await stage.say('hello');
    const elsewhere = await stage.say('and @c, you?');
    const [first, second, third] = [await stage.next(), await stage.next(), await stage.next()];
    expect(await give('/cancel', inThread(root))).toMatch(/^owner cancelled (?:a, b|b, a)\.$/);
    expect(await stage.ended(first.run)).toBe('cancelled');
    expect(await stage.ended(second.run)).toBe('cancelled');
    expect(await stage.lastTurn(root.messageId)).toMatchObject({ outcome: 'cancelled' });
    expect(await stage.core.runs.get(OWNER, first.run.runId)).toMatchObject({
      cancelReason: 'cancel_command',
    });
    expect(third.name).toBe('c');
    expect(await stage.leases()).toMatchObject([
      { memberId: 'c', threadRootMessageId: elsewhere.messageId },
    ]);
    expect(await give('/cancel', inThread(root))).toBe('Nobody has the turn here.');
    third.run.complete();
    await stage.ended(third.run);
    expect(stage.runCount).toBe(3);
  });

  it('C-66 /cancel outside of threads ends every turn of the channel', async () => {
    await open(['a', 'b']);
    const first = await stage.say('@a one');
    const second = await stage.say('@b two');
    const runs = [await stage.next(), await stage.next()];
    expect(await give('/cancel')).toMatch(/^owner cancelled (a, b|b, a)\.$/);
    for (const { run } of runs) expect(await stage.ended(run)).toBe('cancelled');
    for (const { messageId } of [first, second]) {
      expect(await stage.lastTurn(messageId)).toMatchObject({ outcome: 'cancelled' });
    }
    expect(await stage.leases()).toEqual([]);
  });

  it('C-66 /cancel with a name ends only that turn, and the next one speaks', async () => {
    await open(['a', 'b']);
    const root = await stage.say('hello');
    const { run } = await stage.next();
    expect(await give('/cancel b', inThread(root))).toBe('b does not have the turn here.');
    expect(await give('/cancel @A', inThread(root))).toBe('owner cancelled a.');
    expect(await stage.ended(run)).toBe('cancelled');
    expect(await stage.speak('then I')).toBe('b');
    expect(await stage.lastTurn(root.messageId)).toMatchObject({ outcome: 'answered', replies: 1 });
    await expect(give('/cancel nobody')).rejects.toMatchObject({ code: 'unknown_member' });
    await expect(give('/cancel owner')).rejects.toMatchObject({ code: 'unknown_member' });
  });

  it('C-66 /clear clears the context of a session, and needs confirmation if it has other channels', async () => {
    await open(['a', 'b']);
    await stage.say('the word is heron');
    expect(await stage.speak('noted')).toBe('a');
    expect(await stage.speak()).toBe('b');
    expect(await give('/clear a')).toBe('owner cleared the context of a.');
    await stage.pass(60_000);
    await stage.say('@a what is the word?');
    const { run } = await stage.next();
    expect(JSON.stringify(await run.context.transcript())).not.toContain('heron');
    const actorId = `session:${stage.sessionOf('a')}`;
    await stage.core.channels.create(OWNER, { channelId: 'other', title: 'Other' });
    await stage.core.channels.upsertMember(OWNER, 'other', { actorId });
    const before = await stage.read();
    await expect(give('/clear a')).rejects.toMatchObject({ code: 'confirmation_needed' });
    expect(await stage.read()).toEqual(before);
    expect(stage.daemon.driver.runs.at(-1)?.context.signal.aborted).toBe(false);
    expect(await give('/clear a yes')).toBe('owner cleared the context of a.');
    expect(await stage.ended(run)).toBe('cancelled');
    await expect(give('/clear')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('C-66 a command needs the same right as the API call, and stores nothing if refused', async () => {
    await open(['a']);
    const { credentials, channels } = stage.core;
    await credentials.mint({ humanId: 'ada', name: 'laptop' });
    await channels.upsertMember(ADA, 'team', {});
    const root = await stage.say('hello');
    const { run } = await stage.next();
    const before = await stage.read();
    for (const text of ['/cancel', '/cancel a', '/clear a yes', '/pause', '/resume']) {
      const given = channels.post(ADA, 'team', { text, ...inThread(root) });
      await expect(given, text).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(await stage.read()).toEqual(before);
    expect(run.context.signal.aborted).toBe(false);
    run.complete();
    await stage.ended(run);
  });

  it('C-18 /pause and /resume do what the settings of the channel do', async () => {
    await open(['a']);
    expect(await give('/pause')).toBe('owner paused the channel.');
    expect(await give('/pause')).toBe('The channel is already paused.');
    await stage.say('hello?');
    expect(await stage.leases()).toEqual([]);
    expect(await give('/resume')).toBe('owner resumed the channel.');
    expect(await stage.speak('here')).toBe('a');
    expect(await give('/resume')).toBe('The channel is not paused.');
  });
});
