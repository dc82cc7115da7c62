import { decide } from '@stoa/core';
import { AgentStage, type AgentStageOptions, OWNER, saidBy, until } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../tools/shell/sandbox.js';
import { AcpDriver } from './acp-driver.js';

const stages: AgentStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

async function open(options: Omit<AgentStageOptions, 'driver'> = {}): Promise<AgentStage> {
  const stage = await AgentStage.open({
    driver: (parts) =>
      new AcpDriver({
        ...parts,
        sandbox: new Sandbox({ home: parts.home, writable: parts.writable }),
        decide,
      }),
    ...options,
  });
  stages.push(stage);
  return stage;
}

const ONCE = { decision: 'allow', scope: 'once' } as const;

describe('an answer to what a program asks', () => {
  it('is for one call: what is asked again under its id is asked of people again', async () => {
    const stage = await open();
    const session = await stage.session();
    const make = '!request c1 execute {"command":"make a"}';
    const { runId } = await session.submit(
      `${make}\n!request c1 execute {"command":"rm -rf x"}\n${make}`,
    );
    const first = await stage.answer(session, ONCE);
    const second = await until('the other arguments are asked about', async () => {
      const asked = await stage.asked(session);
      return asked.approvalId === first.approvalId ? undefined : asked;
    });
    expect(second.input).toEqual({ command: 'rm -rf x' });
    await stage.answer(session, { decision: 'deny', scope: 'once' });
    const third = await until('the first are asked about again', async () => {
      const asked = await stage.asked(session);
      return asked.approvalId === second.approvalId ? undefined : asked;
    });
    expect(third.input).toEqual({ command: 'make a' });
    await stage.answer(session, ONCE);
    expect(saidBy(await session.ended(runId))).toContain('allowed');
    const calls = (await session.all('tool_call')).map(({ data }) => data);
    expect(calls.map(({ input, approvalId }) => [input, approvalId])).toEqual([
      [{ command: 'make a' }, first.approvalId],
      [{ command: 'make a' }, third.approvalId],
    ]);
    const results = (await session.all('tool_result')).map(({ data }) => data);
    expect(results.map(({ outcome }) => outcome)).toEqual(['denied', 'unknown', 'unknown']);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(3);
  });

  it('holds for the arguments it was given to, also after a restart', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    // It is announced before its arguments are known, so its id says nothing of them.
    const { runId } = await session.submit(
      '!form c1 execute\n!say I look.\n!request c1 execute {"command":"attempt %n"}',
    );
    const before = await stage.asked(session);
    expect(before.input).toEqual({ command: 'attempt 1' });
    await stage.restart();
    const again = session.on(stage.daemon);
    await stage.daemon.core.approvals.answer(OWNER, before.approvalId, ONCE);
    const after = await stage.asked(again);
    expect(after.input).toEqual({ command: 'attempt 2' });
    await stage.answer(again, { decision: 'deny', scope: 'once' });
    expect(saidBy(await again.ended(runId))).toContain('rejected');
  });

  it('is journaled with the arguments that were asked about, whatever is reported since', async () => {
    const stage = await open();
    const session = await stage.session();
    const { runId } = await session.submit(
      '!request c1 execute {"command":"make a"} while {"command":"rm -rf x"}',
    );
    const { approvalId } = await stage.answer(session, ONCE);
    await session.ended(runId);
    const [call, ...more] = await session.all('tool_call');
    expect(call?.data).toMatchObject({ input: { command: 'make a' }, approvalId });
    expect(more).toEqual([]);
  });
});
