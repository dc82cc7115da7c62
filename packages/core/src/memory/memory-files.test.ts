import { LIMITS, type Principal } from '@stoa/protocol';
import { type DirectedRun, OWNER, STORE_ENGINES, VirtualMemoryFiles } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnStage } from '../turns/turn-stage.fixture.js';

const ADA: Principal = { kind: 'human', id: 'ada', owner: false, credentialId: 'crd_ada' };
const [sqlite] = STORE_ENGINES;

describe('the files of a memory', () => {
  let stage: TurnStage;
  let files: VirtualMemoryFiles;
  beforeEach(async () => {
    if (!sqlite) throw new Error('there is no engine');
    files = new VirtualMemoryFiles();
    const memory = { files, maxPromptChars: 12_000 };
    stage = await TurnStage.open(sqlite, ['a'], { memberCooldownMs: 0 }, { memory });
  });
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  const finish = async (run: DirectedRun): Promise<void> => {
    run.complete();
    await stage.ended(run);
  };
  const direct = async (text: string): Promise<DirectedRun> => {
    await stage.core.inbox.submit(OWNER, stage.sessionOf('a'), { text, rule: 'followup' });
    const { run } = await stage.next();
    await run.deliver();
    return run;
  };
  const inTeam = async (text: string): Promise<DirectedRun> => {
    await stage.say(text);
    const { run } = await stage.next();
    await run.deliver();
    return run;
  };
  const memoryOf = async (namespace: string): Promise<string> => {
    const { memories } = await stage.core.memories.list(OWNER, { namespace, limit: 1 });
    return memories[0]?.memoryId ?? '';
  };
  const contextsOf = async (run: DirectedRun) =>
    (await run.context.transcript()).entries.flatMap((entry) =>
      entry.type === 'context' && entry.runId === run.runId ? [entry.context] : [],
    );

  it('are injected outside of channels if the memory is not empty, and only once', async () => {
    const first = await direct('hello');
    expect(await contextsOf(first)).toEqual([]);
    await first.context.journal.remember('the canary is called Pip');
    await finish(first);
    await stage.core.memories.putFile(OWNER, await memoryOf('agent:helper'), {
      name: 'deploy.md',
      part: 'shared',
      text: '# How we deploy\nBy hand.',
    });
    const second = await direct('how do we deploy?');
    expect(await contextsOf(second)).toMatchObject([
      {
        notes: [{ text: 'the canary is called Pip' }],
        files: {
          index: '- deploy.md: How we deploy',
          topics: [{ name: 'deploy.md', text: '# How we deploy\nBy hand.', isWhole: true }],
        },
      },
    ]);
    await finish(second);
    const third = await direct('and again?');
    expect(await contextsOf(third)).toEqual([]);
    await finish(third);
  });

  it('are injected with the next run if they could not be read with this one', async () => {
    const first = await direct('hello');
    await first.context.journal.remember('the canary is called Pip');
    await finish(first);
    files.isBroken = true;
    const second = await direct('what now?');
    expect((await contextsOf(second))[0]?.notes).toBeUndefined();
    await finish(second);
    files.isBroken = false;
    const third = await direct('and now?');
    expect((await contextsOf(third))[0]?.notes).toHaveLength(1);
    await finish(third);
  });

  it('are recalled by name and by words; isolated ones only from their own namespace', async () => {
    await stage.core.channels.update(OWNER, 'team', { memoryScope: { mode: 'isolated' } });
    const run = await inTeam('remember');
    await run.context.journal.remember('a note');
    const memoryId = await memoryOf('channel:team');
    const put = (name: string, part: 'shared' | 'isolated', text: string) =>
      stage.core.memories.putFile(OWNER, memoryId, { name, part, text });
    await put('open.md', 'shared', 'the door is blue');
    await put('vault.md', 'isolated', 'the vault is red');
    const own = await run.context.recall({ query: 'the is' });
    expect(own.topics.map(({ name }) => name)).toEqual(['open.md', 'isolated/vault.md']);
    const named = await run.context.recall({ topic: 'open' });
    expect([named.topics, named.notes]).toEqual([
      [{ name: 'open.md', text: 'the door is blue', isWhole: true }],
      [],
    ]);
    await finish(run);
    const outside = await direct('what is in the vault?');
    const seen = await outside.context.recall({ namespace: 'channel:team', query: 'the is' });
    expect([seen.topics.map(({ name }) => name), seen.index.map(({ name }) => name)]).toEqual([
      ['open.md'],
      ['open.md'],
    ]);
    await finish(outside);
  });

  it('are accessible to the person and the owner, and are deleted with the memory', async () => {
    const run = await direct('remember');
    const noteId = await run.context.journal.remember('a note');
    const memoryId = await memoryOf('agent:helper');
    const { memories } = stage.core;
    const file = { name: 'a.md', part: 'shared' as const, text: 'x' };
    await expect(memories.putFile(ADA, memoryId, file)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(memories.files(ADA, memoryId)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(memories.deleteFile(OWNER, memoryId, file)).rejects.toMatchObject({
      code: 'memory_file_not_found',
    });
    for (let i = 0; i < LIMITS.memoryFiles; i++)
      await memories.putFile(OWNER, memoryId, { ...file, name: `f${String(i)}.md` });
    await expect(memories.putFile(OWNER, memoryId, file)).rejects.toMatchObject({
      code: 'limit_reached',
    });
    await memories.deleteFile(OWNER, memoryId, { ...file, name: 'f0.md' });
    await memories.putFile(OWNER, memoryId, file);
    expect((await memories.files(OWNER, memoryId)).directories?.shared).toMatch(
      /^\/memory\/agent-/,
    );
    await run.context.journal.forget(noteId);
    await expect(run.context.journal.forget(noteId)).rejects.toMatchObject({
      code: 'note_not_found',
    });
    expect((await run.context.recall({})).notes).toEqual([]);
    await memories.clear(OWNER, memoryId);
    expect((await memories.files(OWNER, memoryId)).files).toEqual([]);
    await finish(run);
  });
});
