import type { Run } from '@stoa/protocol';
import { type AgentFixture, OWNER, outputOf, processesOf, until } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { type AcpStageOptions, openStage } from './acp-stage.fixture.js';

const open = ({ limits, ...options }: AcpStageOptions = {}): Promise<AgentFixture> =>
  openStage({
    limits: { settleMs: 300, pingMs: 1_000, backoffMs: [1, 2, 3, 4], ...limits },
    ...options,
  });

const sleeping = (text: string): number[] => processesOf('sleep', text);

const failed = ({ status, failure }: Run) => ({ status, code: failure?.code });

describe('the commands of a cancelled turn', () => {
  it.each([
    ['that it keeps running', {}, '!run sleep 4%N1 & sleep 4%N2'],
    ['without its environment', { clearsEnvironment: true }, '!run sleep 4%N1 & sleep 4%N2'],
    [
      'that left their parents',
      {},
      '!run (setsid nohup sleep 4%N1 >/dev/null 2>&1 &); exec sleep 4%N2',
    ],
  ])('AC-16 end with their children within 5 seconds: those %s', async (_, agent, prompt) => {
    const stage = await open({ agent, limits: { settleMs: 3_000 } });
    const session = await stage.session();
    const marker = String(100_000 + Math.floor(Math.random() * 800_000));
    const { runId } = await session.submit(prompt.replaceAll('%N', marker));
    await until('the commands run', () => sleeping(`4${marker}`).length >= 2);
    const other = await stage.session();
    const at = Date.now();
    await stage.daemon.core.runs.cancel(OWNER, runId);
    await until('none runs', () => sleeping(`4${marker}`).length === 0, { timeoutMs: 5_000 });
    expect(Date.now() - at).toBeLessThan(5_000);
    expect(outputOf(await other.ask('!say still here'))).toBe('still here');
    expect(outputOf(await session.ask('!say next'))).toBe('next');
    expect(stage.received.filter(({ type }) => type === 'new')).toHaveLength(2);
  });

  it('AC-16 end, but not those of another turn in the same program', async () => {
    const stage = await open({ limits: { settleMs: 3_000 } });
    const [one, two] = [await stage.session(), await stage.session()];
    const [mine, theirs] = ['4711471', '4811481'];
    const first = await one.submit(`!run sleep ${mine}`);
    await two.submit(`!run sleep ${theirs}`);
    const both = () => sleeping(mine).length > 0 && sleeping(theirs).length > 0;
    await until('both run', both);
    await stage.daemon.core.runs.cancel(OWNER, first.runId);
    await until('mine has ended', () => sleeping(mine).length === 0, { timeoutMs: 5_000 });
    expect(sleeping(theirs)).toHaveLength(1);
  });
});

describe('a program that is killed during a turn', () => {
  it('AC-17 gets the prompt once more if no call had begun', async () => {
    const stage = await open();
    const session = await stage.session();
    const run = await session.ask('!say I begin.\n!once exit 9\n!say Done.');
    expect(run).toMatchObject({ status: 'completed' });
    expect(outputOf(run)).toContain('Done.');
    const retried = (await session.all('note')).find(({ data }) => data.code === 'retried');
    expect(retried?.data.text).toContain('exit status 9');
    const [first, second] = stage.prompts;
    expect(second).toContain('!once exit 9');
    expect(first).toContain('!once exit 9');
  });

  it('AC-17 does not get it again if a call had begun: the run fails and names the call', async () => {
    const stage = await open();
    const session = await stage.session();
    const run = await session.ask(
      '!tool a execute {"command":"touch x"}\n!once exit 9\n!say Done.',
    );
    expect(failed(run)).toEqual({ status: 'failed', code: 'acp_exited' });
    expect(run.failure?.message).toMatch(/exit status 9.*These calls had begun: execute a/s);
    expect(stage.prompts).toHaveLength(1);
  });
});

describe('a program whose model does not answer', () => {
  const chunk = (text: string): string =>
    `!raw ${JSON.stringify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })}`;
  const codex = (meta: object): string =>
    `!raw ${JSON.stringify({ sessionUpdate: 'session_info_update', _meta: { codex: meta } })}`;

  it.each([
    ['401', chunk('Error: 401 invalid API key')],
    ['404', chunk('Info: Using model x\nError: 404 model x not found')],
    [
      '429',
      `${chunk('unexpected status 429: slow down')}\n${codex({ threadStatus: { type: 'systemError' } })}`,
    ],
    ['500', chunk('API Error: 500 {"type":"error"}')],
    ['503', '!fail 503 Service Unavailable'],
  ])('AC-15 fails the run with its message: %s', async (message, prompt) => {
    const stage = await open();
    const run = await (await stage.session()).ask(prompt);
    expect(failed(run)).toEqual({ status: 'failed', code: 'acp_agent_error' });
    expect(run.failure?.message).toContain(message);
    expect(outputOf(run)).toBe('');
  });

  it('AC-15 does not fail if an answer quotes such an error', async () => {
    const stage = await open();
    const answer = 'The log contains:\nError: 404 not found';
    const run = await (await stage.session()).ask(chunk(answer));
    expect(outputOf(run)).toBe(answer);
  });

  it('AC-15 shows that it is retrying', async () => {
    const shown: string[] = [];
    const stage = await open({ watch: (text) => shown.push(text) });
    const session = await stage.session();
    const error = { message: 'stream disconnected (429)', willRetry: true };
    const run = await session.ask(`${codex({ error })}\n!say Here I am.`);
    expect(outputOf(run)).toBe('Here I am.');
    expect(shown[0]).toBe('[retrying: stream disconnected (429)]');
    const [note] = (await session.all('note')).filter(({ data }) => data.code === 'retrying');
    expect(note?.data.text).toContain('is retrying: stream disconnected (429)');
  });

  it('AC-15 shows that it is retrying after its text, which remains', async () => {
    const shown: string[] = [];
    const stage = await open({ watch: (text) => shown.push(text) });
    const error = { message: 'stream disconnected (429)', willRetry: true };
    const prompt = `!say Half an\n${codex({ error })}\n!say  answer`;
    expect(outputOf(await (await stage.session()).ask(prompt))).toBe('Half an answer');
    expect(shown.join('|')).toBe(
      'Half| an|\n[retrying: stream disconnected (429)]|Half an| ans|wer',
    );
  });

  it('AC-14 passes if it wrote nothing, although the program reports an error', async () => {
    const stage = await open();
    const session = await stage.session();
    const error = 'Model stream ended with empty response text.';
    expect(await session.ask(`!fail ${error}`)).toMatchObject({ status: 'completed', output: [] });
    expect(failed(await session.ask(`!say Half an\n!fail ${error}`)).code).toBe('acp_agent_error');
  });
});

describe('a program with a denied call', () => {
  const DENY = { decision: 'deny', scope: 'once', message: 'use make instead' } as const;

  it('AC-8 fails as denied if it stops without an answer', async () => {
    for (const stop of ['!stop cancelled', '!stop end_turn']) {
      const stage = await open();
      const session = await stage.session();
      const { runId } = await session.submit(`!permitted ${JSON.stringify(CALL)}\n${stop}`);
      await stage.answer(session, DENY);
      const run = await session.ended(runId);
      expect(failed(run)).toEqual({ status: 'failed', code: 'acp_denied' });
      expect(run.failure?.message).toMatch(/was denied and stopped: touch x .*use make instead/);
    }
  });

  it('AC-8 gets the reason with its next prompt, once', async () => {
    const stage = await open();
    const session = await stage.session();
    const { runId } = await session.submit(`!permit ${JSON.stringify(CALL)}`);
    await stage.answer(session, DENY);
    expect(outputOf(await session.ended(runId))).toBe('rejected');
    await session.ask('!say two');
    await session.ask('!say three');
    const hasReason = stage.prompts.map((prompt) => prompt.includes('use make instead'));
    expect(hasReason).toEqual([false, true, false]);
  });

  const CALL = {
    toolCallId: 'c',
    kind: 'execute',
    title: 'touch x',
    rawInput: { command: 'touch x' },
  };
});
