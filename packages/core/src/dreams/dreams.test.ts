import type { DreamStatus, Task } from '@stoa/protocol';
import { oneByOne, type Store, type Tx } from '@stoa/store';
import {
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  type StoreEngine,
  until,
  VirtualMemoryFiles,
} from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { DreamWork } from './dreamer.js';

const HOUR = 3_600_000;
const [sqlite] = STORE_ENGINES;
const NAMESPACE = 'agent:helper';

let world: RuntimeWorld;
let daemon: RuntimeDaemon;
let files: VirtualMemoryFiles;
let dream: (work: DreamWork) => Promise<void>;
let modelProblem: string | undefined;
const counted: [string, number][] = [];

async function open(engine: StoreEngine | undefined = sqlite, isEnabled = true): Promise<void> {
  if (!engine) throw new Error('there is no engine');
  world = await RuntimeWorld.open(engine);
  files = new VirtualMemoryFiles();
  modelProblem = undefined;
  counted.length = 0;
  dream = () => Promise.resolve();
  await start(isEnabled);
}

async function start(isEnabled = true): Promise<void> {
  daemon = await world.start({
    memory: {
      files,
      maxPromptChars: 12_000,
      dreams: {
        rules: { isEnabled, afterMs: 24 * HOUR, afterSessions: 5 },
        dreamer: {
          modelProblem: () => Promise.resolve(modelProblem),
          dream: (work) => dream(work),
        },
        counted: (...one) => counted.push(one),
      },
    },
  });
}

afterEach(async () => {
  expect((await daemon.core.checkIntegrity()).problems).toEqual([]);
  await world.discard();
});

let runs = 0;
/** Separate sessions, each with one run that stores a note. */
async function work(sessions: number, note = 'a note'): Promise<void> {
  for (let i = 0; i < sessions; i++) {
    const { sessionId } = await daemon.core.sessions.create(OWNER, { agentId: 'helper' });
    await daemon.core.inbox.submit(OWNER, sessionId, { text: 'work', rule: 'followup' });
    const run = await until('it runs', () =>
      daemon.driver.runs.find(({ context }) => context.session.sessionId === sessionId),
    );
    await run.deliver();
    runs += 1;
    await run.context.journal.remember(`${note} ${String(runs)}`);
    run.complete('done');
    await until('it is over', async () => {
      const { status } = await daemon.core.runs.get(OWNER, run.runId);
      return status === 'completed';
    });
    await daemon.core.afterRuns.settled();
  }
}

async function memoryId(): Promise<string> {
  const { memories } = await daemon.core.memories.list(OWNER, { namespace: NAMESPACE, limit: 1 });
  return memories[0]?.memoryId ?? '';
}
async function status(): Promise<DreamStatus> {
  const [shared] = await daemon.core.dreams.status(OWNER, await memoryId());
  if (!shared) throw new Error('there is no memory');
  return shared;
}
async function tasks(): Promise<Task[]> {
  return (await daemon.core.tasks.list(OWNER, { kind: 'dream', limit: 20 })).tasks;
}
const notes = async (): Promise<string[]> =>
  (await daemon.core.memories.notes(OWNER, await memoryId(), { limit: 100 })).notes.map(
    ({ noteId }) => noteId,
  );
/** Lets sessions be counted again. */
const later = (): void => {
  world.clock.move(11 * 60_000);
};

describe.each(STORE_ENGINES)('a memory on $name', (engine) => {
  it('T-37 is tidied after five other sessions, once a day, and each refusal has a reason', async () => {
    await open(engine);
    const seen: DreamWork[] = [];
    dream = (given) => {
      seen.push(given);
      given.draft.write(
        'notes.md',
        'what was learnt',
        given.notes.map(({ text }) => text).join('\n'),
      );
      given.fold([...given.notes.slice(0, 2).map(({ noteId }) => noteId), 'nte_of_another']);
      return Promise.resolve();
    };
    await work(1);
    expect((await status()).lastCheck?.refusal?.gate).toBe('too_few_sessions');
    await work(4);
    expect((await status()).lastCheck?.refusal?.gate).toBe('scanned_lately');
    expect([(await status()).refusal, await tasks()]).toEqual([undefined, []]);
    later();
    await work(1);
    await daemon.core.dreams.settled();
    const [task] = await tasks();
    expect(task).toMatchObject({
      kind: 'dream',
      status: 'completed',
      notice: 'none',
      detail: {
        namespace: NAMESPACE,
        sessions: 6,
        phase: 'done',
        topics: ['notes.md'],
        foldedNotes: 2,
      },
    });
    expect(seen[0]?.sessions.every(({ entries }) => entries.length > 0)).toBe(true);
    expect([...(files.folders.values().next().value?.keys() ?? [])]).toEqual([
      'notes.md',
      'INDEX.md',
    ]);
    expect(await notes()).toHaveLength(4);
    later();
    await work(1);
    expect(await status()).toMatchObject({ refusal: { gate: 'too_soon' }, sessionsSince: 1 });
    expect((await status()).lastCheck?.refusal?.gate).toBe('too_soon');
    world.clock.move(25 * HOUR);
    await work(5);
    later();
    await work(1);
    await daemon.core.dreams.settled();
    expect([seen.length, counted.map(([outcome]) => outcome)]).toEqual([
      2,
      ['completed', 'completed'],
    ]);
    expect(seen[1]?.sessions).toHaveLength(7);
  });
});

describe('a dream', () => {
  it('T-37 is refused if it is disabled, without a model, and while another one is active', async () => {
    await open(sqlite, false);
    await work(1);
    expect(await status()).toMatchObject({ refusal: { gate: 'disabled' }, sessionsSince: 0 });
    await daemon.stop();
    await start();
    modelProblem = 'none is configured';
    await work(1);
    expect((await status()).lastCheck?.refusal).toEqual({
      gate: 'no_model',
      reason: 'none is configured',
    });
    const id = await memoryId();
    const startNow = () => daemon.core.dreams.start(OWNER, id, 'shared');
    await expect(startNow()).rejects.toMatchObject({ code: 'dream_refused' });
    modelProblem = undefined;
    let finish: (() => void) | undefined;
    dream = () => new Promise((resolve) => (finish = resolve));
    const { taskId } = await startNow();
    await expect(startNow()).rejects.toThrow(`under_way: ${taskId} is working on it`);
    expect(await status()).toMatchObject({ taskId });
    const end = await until('it has begun', () => finish);
    end();
    await daemon.core.dreams.settled();
    dream = () => Promise.resolve();
    await startNow();
    await daemon.core.dreams.settled();
  });

  it('T-38 that is cancelled releases the lease, changes neither gate nor files, and reports its duration', async () => {
    await open();
    await work(1);
    const id = await memoryId();
    dream = async (given) => {
      const { draft, signal } = given;
      draft.write('half.md', 'half', 'half done');
      given.progressed();
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    const task = await daemon.core.dreams.start(OWNER, id, 'shared');
    await until('its progress is seen', async () => {
      const [shown] = await tasks();
      return (
        shown?.detail['phase'] === 'writing' &&
        JSON.stringify(shown.detail['topics']) === '["half.md"]'
      );
    });
    world.clock.move(2_500);
    await daemon.core.dreams.executor.stop(task, 'human:owner');
    const [ended] = await tasks();
    expect(ended).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped' },
      detail: { durationMs: 2_500 },
    });
    expect([files.folders.size, counted]).toEqual([0, [['cancelled', 2_500]]]);
    const now = await status();
    expect([now.lastDreamAt, now.taskId, now.sessionsSince]).toEqual([undefined, undefined, 1]);
    dream = () => Promise.resolve();
    await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.core.dreams.settled();
    expect((await status()).lastDreamAt).toBeDefined();
  });

  it('T-38 that fails, or takes too long, is counted as failed and changes nothing', async () => {
    await open();
    await work(1);
    const id = await memoryId();
    dream = ({ draft }) => {
      draft.write('half.md', 'half', 'half done');
      return Promise.reject(new Error('the model is gone'));
    };
    await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.core.dreams.settled();
    dream = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    await daemon.core.dreams.start(OWNER, id, 'shared');
    daemon.timers.advance(5 * 60_000);
    await daemon.core.dreams.settled();
    const ends = (await tasks()).map(({ status: how, end }) => [how, end?.cause, end?.message]);
    expect(ends).toEqual([
      ['failed', 'timeout', undefined],
      ['failed', 'model_failed', 'the model is gone'],
    ]);
    expect(counted).toEqual([
      ['failed', 0],
      ['failed', 5 * 60_000],
    ]);
    expect([files.folders.size, (await status()).lastDreamAt]).toEqual([0, undefined]);
  });

  it('T-38 whose files cannot be written fails, and states that some may have been written', async () => {
    await open();
    await work(1);
    dream = (wanted) => {
      const { draft, notes: given } = wanted;
      draft.write('one.md', 'one', 'one');
      draft.write('two.md', 'two', 'two');
      wanted.fold(given.map(({ noteId }) => noteId));
      return Promise.resolve();
    };
    const write = files.write.bind(files);
    files.write = (directory, name, text) =>
      name === 'two.md'
        ? Promise.reject(new Error('no space left on device'))
        : write(directory, name, text);
    await daemon.core.dreams.start(OWNER, await memoryId(), 'shared');
    await daemon.core.dreams.settled();
    expect((await tasks())[0]).toMatchObject({
      status: 'failed',
      end: {
        cause: 'storing_failed',
        message: 'no space left on device; some files may have been written.',
      },
    });
    expect([(await status()).lastDreamAt, (await notes()).length]).toEqual([undefined, 1]);
  });

  it('T-38 whose lease or gate cannot be written is completed with a warning, and the next one runs', async () => {
    await open();
    await work(1);
    const id = await memoryId();
    let heal = (): void => undefined;
    dream = ({ draft }) => {
      draft.write('kept.md', 'kept', 'kept');
      heal = breakWrites(daemon.store, /"dreamGates" SET "(?:dreamtAt|leaseHolder" = NULL)/);
      return Promise.resolve();
    };
    await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.core.dreams.settled();
    heal();
    const [task] = await tasks();
    expect(task).toMatchObject({
      status: 'completed',
      detail: {
        topics: ['kept.md'],
        warnings: [
          'its time could not be stored, so the next dream may start soon',
          'the lease could not be released',
        ],
      },
    });
    dream = () => Promise.resolve();
    const next = await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.core.dreams.settled();
    expect((await tasks()).find(({ taskId }) => taskId === next.taskId)).toMatchObject({
      status: 'completed',
    });
  });

  it('T-38 whose daemon was killed is lost, and blocks no other', async () => {
    await open();
    await work(1);
    const id = await memoryId();
    dream = () => new Promise(() => undefined);
    const task = await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.abandon();
    await start();
    await daemon.core.tasks.recover();
    expect((await tasks())[0]).toMatchObject({
      taskId: task.taskId,
      status: 'lost',
      end: { cause: 'crashed', message: expect.stringContaining('nothing was written') as string },
    });
    dream = () => Promise.resolve();
    await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.core.dreams.settled();
  });

  it('restores nothing of a memory that is erased meanwhile', async () => {
    await open();
    await work(1, 'the secret');
    const id = await memoryId();
    let finish: (() => void) | undefined;
    dream = async ({ draft, notes: given }) => {
      draft.write('secret.md', 'secret', given[0]?.text ?? '');
      await new Promise<void>((resolve) => (finish = resolve));
    };
    await daemon.core.dreams.start(OWNER, id, 'shared');
    const end = await until('it has begun', () => finish);
    await daemon.core.memories.clear(OWNER, id);
    end();
    await daemon.core.dreams.settled();
    expect((await tasks())[0]).toMatchObject({ status: 'cancelled', end: { cause: 'erased' } });
    expect([...files.folders.values()].flatMap((folder) => [...folder.keys()])).toEqual([]);
  });

  it('after a memory was erased does not read the runs in which it was learnt', async () => {
    await open();
    await work(1, 'the secret');
    const id = await memoryId();
    await daemon.core.memories.clear(OWNER, id);
    await work(1, 'the weather');
    expect((await status()).sessionsSince).toBe(1);
    let seen: DreamWork | undefined;
    dream = (given) => {
      seen = given;
      return Promise.resolve();
    };
    await daemon.core.dreams.start(OWNER, await memoryId(), 'shared');
    await daemon.core.dreams.settled();
    expect(seen?.sessions).toHaveLength(1);
    expect(JSON.stringify(seen?.sessions)).not.toContain('the secret');
  });

  it('deletes no note that was folded into a file which stays unchanged', async () => {
    await open();
    await work(1);
    dream = async (wanted) => {
      const { draft, notes: given } = wanted;
      draft.write('theirs.md', 'theirs', given[0]?.text ?? '');
      draft.write('other.md', 'other', 'other');
      wanted.fold(given.map(({ noteId }) => noteId));
      const file = { name: 'theirs.md', part: 'shared', text: 'by a person' } as const;
      await daemon.core.memories.putFile(OWNER, await memoryId(), file);
    };
    await daemon.core.dreams.start(OWNER, await memoryId(), 'shared');
    await daemon.core.dreams.settled();
    expect(await notes()).toHaveLength(1);
    expect((await tasks())[0]).toMatchObject({
      status: 'completed',
      detail: {
        foldedNotes: 0,
        topics: ['other.md'],
        warnings: [expect.any(String), expect.stringContaining('notes were kept')],
      },
    });
  });

  it('deletes notes although a topic that was to be removed was edited meanwhile and stays', async () => {
    await open();
    await work(1);
    const id = await memoryId();
    const theirs = { name: 'theirs.md', part: 'shared' } as const;
    await daemon.core.memories.putFile(OWNER, id, { ...theirs, text: 'old' });
    dream = async (wanted) => {
      const { draft, notes: given } = wanted;
      draft.remove('theirs.md');
      draft.write('other.md', 'other', given[0]?.text ?? '');
      wanted.fold(given.map(({ noteId }) => noteId));
      await daemon.core.memories.putFile(OWNER, id, { ...theirs, text: 'by a person' });
    };
    await daemon.core.dreams.start(OWNER, id, 'shared');
    await daemon.core.dreams.settled();
    expect(await notes()).toEqual([]);
    expect((await tasks())[0]?.detail).toMatchObject({
      foldedNotes: 1,
      warnings: [expect.stringContaining('theirs.md was changed')],
    });
  });

  it('T-38 that was interrupted while it wrote states so', async () => {
    await open();
    await work(1);
    dream = ({ draft }) => {
      draft.write('half.md', 'half', 'half done');
      return Promise.resolve();
    };
    let isWriting = false;
    files.write = () => {
      isWriting = true;
      return new Promise(() => undefined);
    };
    await daemon.core.dreams.start(OWNER, await memoryId(), 'shared');
    await until('it writes', () => isWriting);
    await daemon.abandon();
    await start();
    await daemon.core.tasks.recover();
    expect((await tasks())[0]?.end?.message).toContain('may have been written');
  });
});

/** Every write that contains this fails, as in a full store. */
function breakWrites(store: Store, text: RegExp): () => void {
  const transact = store.transact.bind(store);
  const broken: Store['transact'] = (body, options) =>
    transact(() => failing(body(), text), options);
  Object.assign(store, { transact: broken });
  return () => {
    Object.assign(store, { transact });
  };
}

function* failing<R>(body: Tx<R>, text: RegExp): Tx<R> {
  const tx = oneByOne(body);
  let step = tx.next();
  while (!step.done) {
    if (text.test(step.value.text.sqlite)) throw new Error('the store cannot be written');
    step = tx.next(yield step.value);
  }
  return step.value;
}
