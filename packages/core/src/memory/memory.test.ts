import type { ChannelMemoryScopeConfig, MemoryNote, Principal } from '@stoa/protocol';
import { type DirectedRun, OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnStage } from '../turns/turn-stage.fixture.js';

const ADA: Principal = { kind: 'human', id: 'ada', owner: false, credentialId: 'crd_ada' };
const CANARY = 'the canary is called Pip';

describe.each(STORE_ENGINES)('a memory of sessions on $name', (engine) => {
  let stage: TurnStage;
  const open = async (memoryScope?: ChannelMemoryScopeConfig): Promise<void> => {
    stage = await TurnStage.open(engine, ['a']);
    if (memoryScope) await stage.core.channels.update(OWNER, 'team', { memoryScope });
  };
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  /** A second channel with the same session in it. */
  const other = async (memoryScope: ChannelMemoryScopeConfig): Promise<void> => {
    await stage.core.channels.create(OWNER, { channelId: 'other', title: 'Other', memoryScope });
    const actorId = `session:${stage.sessionOf('a')}`;
    await stage.core.channels.upsertMember(OWNER, 'other', { actorId, memberId: 'a' });
  };
  const askIn = async (channelId: string, text: string): Promise<DirectedRun> => {
    await stage.core.channels.post(OWNER, channelId, { text });
    const { run } = await stage.next();
    await run.deliver();
    return run;
  };
  const finish = async (run: DirectedRun): Promise<void> => {
    run.complete();
    await stage.ended(run);
  };
  const notesOf = async (namespace: string, by = OWNER): Promise<MemoryNote[]> => {
    const { memories } = await stage.core.memories.list(by, { namespace, limit: 10 });
    const [memory] = memories;
    if (!memory) return [];
    return (await stage.core.memories.notes(by, memory.memoryId, { limit: 200 })).notes;
  };

  it('C-56 stores a note under the namespace of the channel, which the next run finds', async () => {
    await open();
    const first = await askIn('team', 'Remember this');
    await first.context.journal.remember(CANARY);
    await finish(first);
    expect(await notesOf('channel:team')).toMatchObject([
      { text: CANARY, channelId: 'team', runId: first.runId, mode: 'metadata-only' },
    ]);
    await stage.restart();
    const second = await askIn('team', 'What do you know?');
    expect((await second.context.recall({})).notes.map(({ text }) => text)).toEqual([CANARY]);
    expect((await second.context.recall({ query: 'PIP called' })).notes).toHaveLength(1);
    expect((await second.context.recall({ query: 'Pip parrot' })).notes).toHaveLength(0);
    await finish(second);
  });

  it('C-56 an isolated run reads no other namespace, and its notes are visible nowhere else', async () => {
    await open({ mode: 'isolated' });
    await other({ namespace: 'elsewhere' });
    const apart = await askIn('team', 'Remember this');
    await apart.context.journal.remember(CANARY);
    await expect(apart.context.recall({ namespace: 'elsewhere' })).rejects.toMatchObject({
      code: 'memory_isolated',
    });
    await finish(apart);
    const outside = await askIn('other', 'What is the canary called?');
    await outside.context.journal.remember('the parrot is called Joe');
    const recalled = await outside.context.recall({ namespace: 'channel:team' });
    expect(recalled).toMatchObject({ notes: [], more: 0 });
    await finish(outside);
    expect(await notesOf('channel:team')).toMatchObject([{ text: CANARY, mode: 'isolated' }]);
    expect(await notesOf('elsewhere')).toMatchObject([{ text: 'the parrot is called Joe' }]);
  });

  it('C-56 a session in two isolated namespaces sees in each only the journal of that one', async () => {
    await open({ mode: 'isolated' });
    await other({ mode: 'isolated' });
    const first = await askIn('team', CANARY);
    await first.context.journal.compacted({ upToSeq: 0, summary: CANARY, tokensBefore: 1 });
    await finish(first);
    const elsewhere = await askIn('other', 'What is the canary called?');
    expect(JSON.stringify(await elsewhere.context.transcript())).not.toContain('Pip');
    await finish(elsewhere);
    const back = await askIn('team', 'And here?');
    const shown = JSON.stringify(await back.context.transcript());
    expect(shown).toContain('Pip');
    expect(shown).not.toContain('What is the canary called?');
    await finish(back);
    // Requests outside of channels have a third namespace.
    await stage.core.inbox.submit(OWNER, stage.sessionOf('a'), {
      text: 'And you?',
      rule: 'followup',
    });
    const { run } = await stage.next();
    expect(JSON.stringify(await run.context.transcript())).not.toContain('Pip');
    await finish(run);
  });

  it('C-56 an item is not injected into an isolated run: it gets its own run', async () => {
    await open({ mode: 'isolated' });
    const apart = await askIn('team', 'Take your time');
    const item = await stage.core.inbox.submit(OWNER, stage.sessionOf('a'), {
      text: 'Quick, something else',
      rule: 'inject',
    });
    expect(item).toMatchObject({ appliedRule: 'followup' });
    expect(await apart.context.journal.takeInjected()).toEqual([]);
    await finish(apart);
    await finish((await stage.next()).run);
  });

  it('C-56 without isolation other namespaces of the same person can be read', async () => {
    await open();
    await other({ namespace: 'elsewhere' });
    const first = await askIn('team', 'Remember this');
    await first.context.journal.remember(CANARY);
    await finish(first);
    const outside = await askIn('other', 'What is the canary called?');
    const { notes } = await outside.context.recall({ namespace: 'channel:team' });
    expect(notes.map(({ text }) => text)).toEqual([CANARY]);
    await finish(outside);
  });

  it('is visible to its person and the owner, who may delete it, and to nobody else', async () => {
    await open();
    const run = await askIn('team', 'Remember this');
    await run.context.journal.remember(CANARY);
    await run.context.journal.remember('another');
    await finish(run);
    const { memories } = stage.core;
    const [memory] = (await memories.list(OWNER, { limit: 10 })).memories;
    expect(memory).toMatchObject({ ownerId: 'human:owner', noteCount: 2 });
    const memoryId = memory?.memoryId ?? '';
    expect((await memories.list(ADA, { limit: 10 })).memories).toEqual([]);
    await expect(memories.notes(ADA, memoryId, { limit: 1 })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const [newest] = (await memories.notes(OWNER, memoryId, { limit: 1 })).notes;
    await memories.deleteNote(OWNER, memoryId, newest?.noteId ?? '');
    await expect(memories.deleteNote(OWNER, memoryId, newest?.noteId ?? '')).rejects.toMatchObject({
      code: 'note_not_found',
    });
    expect((await notesOf('channel:team')).map(({ text }) => text)).toEqual([CANARY]);
  });

  it('is deleted from the log too when it is cleared, and can be used again', async () => {
    await open();
    const run = await askIn('team', 'Remember this');
    await run.context.journal.remember(CANARY);
    const [memory] = (await stage.core.memories.list(OWNER, { limit: 10 })).memories;
    const memoryId = memory?.memoryId ?? '';
    await stage.core.memories.clear(OWNER, memoryId);
    await stage.core.sweeper.sweep();
    await stage.assertIntact();
    const log = await stage.core.readTopic(OWNER, `memory:${memoryId}`, 0, 100);
    expect(JSON.stringify(log.entries)).not.toContain('Pip');
    await run.context.journal.remember('something new');
    await finish(run);
    expect((await notesOf('channel:team')).map(({ text }) => text)).toEqual(['something new']);
    await expect(stage.core.memories.clear(OWNER, `mem_${'0'.repeat(40)}`)).rejects.toMatchObject({
      code: 'memory_not_found',
    });
  });
});
