import { oneByOne, type Store, type Tx } from '@stoa/store';
import { type DirectedRun, OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnStage } from '../turns/turn-stage.fixture.js';
import type { TranscriptEntry } from './transcript.js';

const sqlite = STORE_ENGINES.slice(0, 1);
const IDENTITY = { displayName: 'Ops Bot', description: 'Helps' };

describe.each(sqlite)('the context that is injected with a turn in a channel', (engine) => {
  let stage: TurnStage;
  beforeEach(async () => {
    stage = await TurnStage.open(engine, ['a'], { memberCooldownMs: 0 });
  });
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  const configure = (change: object = { identity: IDENTITY }) =>
    stage.core.channels.update(OWNER, 'team', change);
  const asked = async (): Promise<DirectedRun> => {
    await stage.say('hello');
    const { run } = await stage.next();
    await run.deliver();
    return run;
  };
  type Injected = Extract<TranscriptEntry, { type: 'context' }>;
  /** The context that is injected into the next run, and all injected context that it sees. */
  const turn = async (): Promise<{ injected: Injected[]; seen: Injected[] }> => {
    const run = await asked();
    const { entries } = await run.context.transcript();
    const seen = entries.filter((entry) => entry.type === 'context');
    run.complete();
    await stage.ended(run);
    return { injected: seen.filter(({ runId }) => runId === run.runId), seen };
  };

  it('C-54 is empty if neither identity nor memory is configured', async () => {
    expect(await turn()).toEqual({ injected: [], seen: [] });
  });

  it('C-54 is injected once into a session, before its input, also across a restart', async () => {
    await configure();
    const run = await asked();
    const { entries } = await run.context.transcript();
    expect(entries.map(({ type }) => type)).toEqual(['context', 'input']);
    expect(entries[0]).toMatchObject({
      context: {
        channelId: 'team',
        channelIdentity: { id: 'channel:team', displayName: 'Ops Bot', description: 'Helps' },
        memoryScope: { namespace: 'channel:team', mode: 'metadata-only' },
        notes: [],
      },
    });
    run.complete();
    await stage.ended(run);
    expect((await turn()).injected).toHaveLength(0);
    await stage.restart();
    const later = await turn();
    expect([later.injected.length, later.seen.length]).toEqual([0, 1]);
  });

  it('C-54 is injected into every session, and for every channel of a session', async () => {
    await configure();
    await turn();
    await stage.join('b');
    await stage.core.channels.upsertMember(OWNER, 'team', {
      actorId: `session:${stage.sessionOf('a')}`,
      muted: true,
    });
    expect((await turn()).injected).toHaveLength(1);
    await stage.core.channels.create(OWNER, {
      channelId: 'other',
      title: 'Other',
      memoryScope: { namespace: 'apart' },
    });
    const actorId = `session:${stage.sessionOf('b')}`;
    await stage.core.channels.upsertMember(OWNER, 'other', { actorId });
    await stage.core.channels.post(OWNER, 'other', { text: 'hello' });
    const { run } = await stage.next();
    await run.deliver();
    const { entries } = await run.context.transcript();
    expect(entries.flatMap((e) => (e.type === 'context' ? [e.context.channelId] : []))).toEqual([
      'team',
      'other',
    ]);
    run.complete();
    await stage.ended(run);
  });

  it('C-54 is injected again after the session was cleared, and after it was compacted', async () => {
    await configure();
    await turn();
    await stage.core.sessions.clear(OWNER, stage.sessionOf('a'));
    const cleared = await turn();
    expect([cleared.injected.length, cleared.seen.length]).toEqual([1, 1]);
    const run = await asked();
    const { entries } = await run.context.transcript();
    const upToSeq = entries.at(-1)?.seq ?? 0;
    await run.context.journal.compacted({ upToSeq, summary: 'a long talk', tokensBefore: 9 });
    run.complete();
    await stage.ended(run);
    expect((await turn()).injected).toHaveLength(1);
    expect((await turn()).injected).toHaveLength(0);
  });

  it('C-54 is injected again after a change', async () => {
    await configure();
    await turn();
    await configure({ identity: { displayName: 'Another' } });
    expect((await turn()).injected).toMatchObject([
      { context: { channelIdentity: { displayName: 'Another' } } },
    ]);
    expect((await turn()).injected).toHaveLength(0);
  });

  it('C-54 is injected again with the next turn if the memory could not be read', async () => {
    await configure();
    const heal = breakReads(stage.daemon.store, /"memories"/);
    const [first] = (await turn()).injected;
    expect(first).toMatchObject({ context: { channelIdentity: IDENTITY } });
    expect(first?.context.notes).toBeUndefined();
    heal();
    const [second] = (await turn()).injected;
    expect(second?.context).toMatchObject({ channelIdentity: IDENTITY, notes: [] });
    expect((await turn()).injected).toHaveLength(0);
    expect(stage.daemon.diagnoses.map(({ message }) => message)).toContain(
      'a memory could not be read and will be injected later',
    );
  });

  it('C-54 contains the newest notes, oldest first, and the number of older ones', async () => {
    await configure();
    const run = await asked();
    for (let i = 1; i <= 22; i++) await run.context.journal.remember(`note ${String(i)}`);
    run.complete();
    await stage.ended(run);
    await stage.core.sessions.clear(OWNER, stage.sessionOf('a'));
    const [injected] = (await turn()).injected;
    const texts = injected?.context.notes?.map(({ text }) => text) ?? [];
    expect([texts[0], texts.at(-1), texts.length]).toEqual(['note 3', 'note 22', 20]);
    expect(injected?.context.olderNotes).toBe(2);
  });
});

/** Every read of such a table fails, as in an unavailable store. */
function breakReads(store: Store, table: RegExp): () => void {
  const read = store.read.bind(store);
  const broken = <R>(body: () => Tx<R>): Promise<R> => read(() => failing(body(), table));
  Object.assign(store, { read: broken });
  return () => {
    Object.assign(store, { read });
  };
}

function* failing<R>(body: Tx<R>, table: RegExp): Tx<R> {
  const tx = oneByOne(body);
  let step = tx.next();
  while (!step.done) {
    if (table.test(step.value.text.sqlite)) throw new Error('the store cannot be reached');
    step = tx.next(yield step.value);
  }
  return step.value;
}
