import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DreamStatus, Memory, MemoryFileList, Session, Task } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FakeModel,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
  when,
} from '@stoa/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CONFIG = 'memory: { dream: { enabled: true, afterSessions: 1 } }';
const DREAMING = { system: /You tidy a memory/ };
const KEEPER =
  'otherwise: [{ call: { tool: remember, input: { text: It rains } } }, { say: Kept }]';

let daemon: TestDaemon;
let model: FakeModel;
let workspace: string;
beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'stoa-dream-'));
  model = await FakeModel.start({ key: 'sk-dream' });
  daemon = await startDaemon({ config: CONFIG });
});
afterAll(async () => {
  await daemon.cleanUp();
  await model.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** A session of its own that keeps a note. */
async function work(owner: Caller): Promise<void> {
  const asked = { agentId: 'keeper', workspace };
  const { sessionId } = (await owner.post<Session>('/v1/sessions', asked)).json;
  await owner.post(`/v1/sessions/${sessionId}/inbox`, { text: 'how is it?' });
}
async function gateOf(owner: Caller): Promise<{ memoryId: string; gate: string } | undefined> {
  const { memories } = (await owner.get<{ memories: Memory[] }>('/v1/memories')).json;
  const { memoryId = '' } = memories[0] ?? {};
  if (memoryId === '') return undefined;
  const path = `/v1/memories/${memoryId}/dream`;
  const { dreams } = (await owner.get<{ dreams: DreamStatus[] }>(path)).json;
  const gate = dreams[0]?.lastCheck?.refusal?.gate;
  return gate === undefined ? undefined : { memoryId, gate };
}

it('T-37 a dream begins by itself when all gates are open, and not before', async () => {
  const first = callerOf(daemon.url, daemon.token);
  const driver = { kind: 'script', script: KEEPER };
  expect((await first.put('/v1/agents/keeper', { driver })).status).toBe(200);
  await work(first);
  const { memoryId } = await until('it was checked', async () => {
    const seen = await gateOf(first);
    return seen?.gate === 'no_model' ? seen : undefined;
  });
  await daemon.stop();
  daemon = await startDaemon({
    home: daemon.home,
    config: CONFIG,
    env: {
      OPENAI_BASE_URL: model.openaiUrl,
      OPENAI_API_KEY: 'sk-dream',
      OPENAI_MODEL: 'fake-model',
    },
  });
  const owner = callerOf(daemon.url, daemon.token);
  const dreams = async (): Promise<Task[]> =>
    (await owner.get<{ tasks: Task[] }>('/v1/tasks?kind=dream')).json.tasks;
  expect(await dreams()).toEqual([]);
  const topic = { name: 'weather.md', about: 'the weather', text: '# Weather\nIt rains.' };
  model.script([
    when(
      DREAMING,
      useTools([toolCall('write_topic', topic), toolCall('finish', { foldedNotes: [] })]),
    ),
  ]);
  await work(owner);
  const [task] = await until('one has ended', async () => {
    const all = await dreams();
    return all[0]?.end ? all : undefined;
  });
  expect(task).toMatchObject({
    status: 'completed',
    notice: 'none',
    detail: { sessions: 2, notes: 2, topics: ['weather.md'] },
  });
  const { directories } = (await owner.get<MemoryFileList>(`/v1/memories/${memoryId}/files`)).json;
  expect(readFileSync(join(directories?.shared ?? '', 'weather.md'), 'utf8')).toContain('It rains');
  await work(owner);
  await until('it is too soon', async () => (await gateOf(owner))?.gate === 'too_soon');
  expect(await dreams()).toHaveLength(1);
});
