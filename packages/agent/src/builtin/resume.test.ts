import { dyingRun, outputOf, toolCall, until, useTools } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { stage } from './builtin-stage.fixture.js';

const never = (): Promise<never> => new Promise(() => undefined);

describe.each(['openai', 'anthropic'] as const)('an interrupted run on the %s wire', (wire) => {
  it('R-12 continues after a crash; the outcome of a running call is unknown, and the call is not repeated', async () => {
    const { session, model, tools, restart } = await stage({
      wire,
      tools: { send: () => never(), look: () => 'seen' },
    });
    model.script([
      useTools([toolCall('look', {}), toolCall('send', { to: 'Ann' })]),
      'It may be sent.',
    ]);
    const { runId } = await session.submit('send it');
    await until('it is being sent', () => tools.ran.length === 2);
    const after = await restart();
    const run = await after.session.ended(runId);
    expect(outputOf(run)).toBe('It may be sent.');
    expect(after.tools.ran).toEqual([]);
    const texts = model.requests[1]?.toolResults.map(({ text }) => text) ?? [];
    expect(texts).toHaveLength(2);
    expect(texts[1]).toContain('outcome is unknown');
    expect(run.attempts).toBe(2);
    model.assertPlayed();
  });
});

describe('an interrupted run', () => {
  it('R-12 ends if its last answer was journaled before the daemon was killed', async () => {
    const { session, model, restart } = await stage({
      around: (driver) => async (run) => {
        await driver.execute(run);
        return never();
      },
    });
    model.script(['The answer.']);
    const { runId } = await session.submit('ask');
    await until('the answer is journaled', async () =>
      (await session.types()).includes('model_message'),
    );
    const after = await restart();
    expect(outputOf(await after.session.ended(runId))).toBe('The answer.');
    expect(model.requests).toHaveLength(1);
  });

  it('R-12 makes the calls that had not started when the daemon was killed', async () => {
    const { session, model, restart } = await stage({
      tools: { look: ({ n }) => `saw ${String(n)}` },
      // Dies after the model's message, before its first call is journaled.
      around: (driver) => (run) =>
        driver.execute(dyingRun(run, { at: 3, isKept: false, died: () => undefined })),
    });
    model.script([useTools([toolCall('look', { n: 1 }), toolCall('look', { n: 2 })]), 'Seen.']);
    const { runId } = await session.submit('look');
    await until('the message is journaled', async () =>
      (await session.types()).includes('model_message'),
    );
    const after = await restart();
    expect(outputOf(await after.session.ended(runId))).toBe('Seen.');
    expect(after.tools.ran.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(model.requests).toHaveLength(2);
    model.assertPlayed();
  });
});
