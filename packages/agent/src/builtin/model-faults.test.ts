import type { Timers } from '@stoa/core';
import {
  always,
  CANARY_KEY,
  fault,
  gate,
  outputOf,
  reply,
  say,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { builtinDriver, codeOf, stage } from './builtin-stage.fixture.js';
import { SILENCE_MS } from './models.js';

describe.each(['openai', 'anthropic'] as const)('a model that fails on the %s wire', (wire) => {
  it.each([
    ['429', fault.status(429, { retryAfter: 7 }), 7_000],
    ['500', fault.status(500), 750],
    ['an overload', fault.overloaded(), 750],
    ['a connection reset before any answer', fault.reset(), 750],
    [
      'a connection reset in the middle',
      fault.reset({ after: 6, of: say('abcdefghij', { chunkSize: 1 }) }),
      750,
    ],
    ['garbage', fault.garbage({ after: 4, of: say('abcdefghij', { chunkSize: 1 }) }), 750],
    ['an incomplete stream', fault.cutOff({ after: 4, of: say('abcdef', { chunkSize: 1 }) }), 750],
    [
      'an error within the stream',
      fault.streamError({ after: 5, of: say('abcdefghij', { chunkSize: 1 }) }),
      750,
    ],
  ])('R-11 retries after %s', async (_, broken, waitMs) => {
    const { session, model, waits } = await stage({ wire });
    model.script([broken, 'Here I am.']);
    const run = await session.ask('hello');
    expect(outputOf(run)).toBe('Here I am.');
    expect(waits).toEqual([waitMs]);
    expect((await session.all('note')).map(({ data }) => data.code)).toEqual(['model_retry']);
    expect(await session.all('model_message')).toHaveLength(1);
    expect(await session.all('delivered')).toHaveLength(1);
    model.assertPlayed();
  });

  it.each([
    ['a wrong key', fault.status(401), 'model_unauthorized'],
    ['an unknown model', fault.status(404), 'model_not_found'],
    ['a rejected request', fault.status(400), 'model_rejected'],
    ['an exceeded quota', fault.quotaExceeded(), 'model_quota_exceeded'],
    ['a long required wait', fault.status(429, { retryAfter: 3_600 }), 'model_rate_limited'],
  ])('R-11 fails immediately with %s', async (_, refusal, code) => {
    const { session, model } = await stage({ wire });
    model.script([refusal]);
    const run = await session.ask('hello');
    expect(codeOf(run)).toBe(code);
    expect(run.failure?.message).toContain('fake/fake-model');
    expect(model.requests).toHaveLength(1);
    model.assertPlayed();
  });

  it('R-11 gives up after five attempts with growing waits', async () => {
    const { session, model, waits } = await stage({ wire });
    model.script([always(fault.status(503))]);
    expect(codeOf(await session.ask('hello'))).toBe('model_unavailable');
    expect(model.requests).toHaveLength(5);
    expect(waits).toEqual([750, 1_500, 3_000, 6_000]);
  });

  it('R-11 reports invalid arguments and unknown tools to the model', async () => {
    const { session, model, tools } = await stage({ wire, tools: { read: () => 'read' } });
    model.script([
      fault.malformedArguments('read'),
      useTools([toolCall('fly', { to: 'moon' })]),
      'I see.',
    ]);
    expect(outputOf(await session.ask('go'))).toBe('I see.');
    expect(tools.ran).toEqual([]);
    const [malformed] = model.requests[1]?.toolResults ?? [];
    expect(malformed?.text).toContain('not JSON');
    const [unknown] = model.requests[2]?.toolResults ?? [];
    expect(unknown?.text).toContain('There is no tool fly. There are: read');
    model.assertPlayed();
  });

  it('R-11 retries once after an empty answer, then fails, and counts the usage of both', async () => {
    const { session, model } = await stage({ wire });
    const usage = { input: 100, output: 1 };
    model.script([reply({ usage }), say('Hello.', { usage }), reply({ usage }), reply({ usage })]);
    const first = await session.ask('hello');
    expect(outputOf(first)).toBe('Hello.');
    expect(first.usage).toMatchObject({ modelCalls: 2, inputTokens: 200, outputTokens: 2 });
    const second = await session.ask('hello?');
    expect(codeOf(second)).toBe('model_empty');
    expect(second.usage).toMatchObject({ modelCalls: 2, inputTokens: 200 });
    model.assertPlayed();
  });

  it('R-11 ends an endless loop of calls', async () => {
    const { session, model, tools } = await stage({
      wire,
      tools: { look: () => 'nothing new' },
      definition: { driver: { kind: 'builtin', maxSteps: 4 } },
    });
    model.script([always(useTools([toolCall('look', {})]))]);
    expect(codeOf(await session.ask('go'))).toBe('too_many_steps');
    expect(tools.ran).toHaveLength(4);
  });

  it('R-11 warns a model that repeats a failing call, and stops it', async () => {
    const { session, model } = await stage({
      wire,
      tools: { look: () => ({ text: 'no such file', isError: true }) },
    });
    model.script([always(useTools([toolCall('look', { path: 'x' })]))]);
    expect(codeOf(await session.ask('go'))).toBe('tool_loop');
    expect(model.requests).toHaveLength(5);
    const warned = model.requests.map(({ toolResults }) =>
      toolResults[0]?.text.includes('in a row'),
    );
    expect(warned).toEqual([undefined, false, false, true, true]);
  });

  it('R-24 hides the key when the server repeats it', async () => {
    const { session, model } = await stage({ wire });
    model.script([
      fault.status(500, { message: `bad key ${CANARY_KEY}` }),
      fault.status(401, { message: `Incorrect API key provided: ${CANARY_KEY}` }),
    ]);
    const run = await session.ask('hello');
    expect(run.failure?.message).toContain('[secret]');
    expect(await session.bytes()).not.toContain(CANARY_KEY);
  });
});

describe('a model that fails', () => {
  it('R-11 withdraws the shown text of a failed attempt', async () => {
    const shown: string[] = [];
    const { session, model } = await stage({
      around: (driver) => (run) =>
        driver.execute({
          ...run,
          showText: (step, text) => shown.push(`${String(step)} ${text}`),
          withdrawText: (step) => shown.push(`${String(step)} withdrawn`),
        }),
    });
    const half = gate();
    half.release(6);
    model.script([
      () => {
        void until('some text was shown', () => shown.includes('0 c')).then(() => {
          half.release();
        });
        return fault.slow(half, fault.reset({ after: 6, of: say('abc', { chunkSize: 1 }) }));
      },
      say('Hello.', { chunkSize: 3 }),
    ]);
    await session.ask('hello');
    const at = shown.indexOf('0 withdrawn');
    expect(shown.slice(at + 1)).toEqual(['0 Hel', '0 lo.']);
    const messages = await session.all('model_message');
    expect(messages.map(({ data }) => data.parts)).toEqual([[{ type: 'text', text: 'Hello.' }]]);
  });

  it('gives up on a server that sends nothing', async () => {
    let fire = (): void => undefined;
    const timers: Timers = {
      after: (milliseconds, callback) => {
        if (milliseconds === SILENCE_MS) {
          fire = callback;
          return () => undefined;
        }
        const immediate = setImmediate(callback);
        return () => {
          clearImmediate(immediate);
        };
      },
    };
    const { session, model } = await stage({ timers });
    model.script([fault.hang(), 'Awake.']);
    const { runId } = await session.submit('hello');
    await model.received(0);
    fire();
    expect(outputOf(await session.ended(runId))).toBe('Awake.');
    const [note] = await session.all('note');
    expect(note?.data.text).toContain('nothing was received for 300 s');
  });

  it('R-15 names what to set when no model is configured, and the daemon keeps running', async () => {
    const { session } = await stage({
      driver: (parts) => builtinDriver(parts, { config: {} }),
    });
    for (const text of ['hello', 'again']) {
      const { failure } = await session.ask(text);
      expect(failure).toMatchObject({ phase: 'start', code: 'no_model' });
      for (const name of [
        'providers',
        'model',
        'OPENAI_BASE_URL',
        'OPENAI_API_KEY',
        'OPENAI_MODEL',
      ])
        expect(failure?.message).toContain(name);
      expect(failure?.message).toContain('ANTHROPIC_API_KEY');
    }
  });
});
