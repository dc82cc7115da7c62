import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ask.js';
import { FakeModel } from './fake-model.js';
import * as fault from './faults.js';
import { gate } from './gate.js';
import type { JsonObject } from './json.js';
import { say } from './reply.js';
import { always, when } from './script.js';

let model: FakeModel;
beforeEach(async () => {
  model = await FakeModel.start();
});
afterEach(() => model.close());

const chat = (content: string, body: JsonObject = {}) =>
  ask(`${model.openaiUrl}/chat/completions`, {
    model: 'm',
    messages: [{ role: 'user', content }],
    ...body,
  });

async function answer(content: string, body: JsonObject = {}): Promise<string> {
  const { json } = await chat(content, body);
  const { choices } = json as unknown as {
    readonly choices: readonly [{ readonly message: { readonly content: string } }];
  };
  return choices[0].message.content;
}

describe('a script', () => {
  it('is played in order', async () => {
    model.script(['one', say('two'), ({ lastUserText }) => `three after ${lastUserText}`]);
    expect([await answer('a'), await answer('b'), await answer('c')]).toEqual([
      'one',
      'two',
      'three after c',
    ]);
    model.assertPlayed();
  });

  it('gives each request the first step that fits it', async () => {
    model.script([
      when({ userText: 'weather' }, 'rain'),
      when({ userText: /^time/, model: 'slow' }, 'late'),
      when((request) => request.toolResults.length > 0, 'never'),
      always('anything'),
    ]);
    expect(await answer('time?')).toBe('anything');
    expect(await answer('time?', { model: 'slow' })).toBe('late');
    expect(await answer('the weather?')).toBe('rain');
    expect(await answer('the weather?')).toBe('anything');
    expect(() => {
      model.assertPlayed();
    }).toThrow('1 steps of the script were never asked for');
  });

  it('tells a turn with results from one without, and knows the tool they are of', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'seen' },
    ];
    model.script([
      when({ toolResult: 'listen' }, 'no'),
      when({ toolResult: 'look' }, 'looked'),
      when({ toolResult: true }, 'some result'),
      when({ toolResult: false }, 'no result'),
    ]);
    expect(await answer('', { messages })).toBe('looked');
    expect(await answer('', { messages })).toBe('some result');
    expect(await answer('go')).toBe('no result');
  });

  it('that has no answer says so to the client and to the test', async () => {
    model.script([when({ userText: 'expected' }, 'yes')]);
    const { status, json } = await chat('a surprise');
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { message: expect.stringContaining('after "a surprise"') as string },
    });
    expect(() => {
      model.assertPlayed();
    }).toThrow(/no answer for request 0/);
  });

  it('can be added to, and replaced', async () => {
    model.script(['one']);
    model.thenScript(['two']);
    expect([await answer('a'), await answer('b')]).toEqual(['one', 'two']);
    model.script('always this');
    expect([await answer('a'), await answer('b')]).toEqual(['always this', 'always this']);
    model.assertPlayed();
  });
});

describe('a gate', () => {
  it('holds each chunk until it is let go, and nothing once it is open', async () => {
    const held = gate();
    model.script([fault.slow(held, say('abcd', { chunkSize: 1 }))]);
    const answered = chat('go', { stream: true });
    await held.reached(1);
    expect(model.requests[0]?.chunksSent).toBe(0);
    held.release(2);
    await held.reached(3);
    expect(model.requests[0]?.chunksSent).toBe(2);
    held.open();
    expect((await answered).events.at(-1)?.data).toBe('[DONE]');
  });

  it('holds a body and a refusal', async () => {
    for (const refusal of [false, true]) {
      const held = gate();
      model.script([refusal ? fault.status(500, { gate: held }) : say('hi', { gate: held })]);
      const answered = chat('go');
      await held.reached();
      expect(model.requests.at(-1)?.outcome).toBe('pending');
      held.release();
      expect((await answered).status).toBe(refusal ? 500 : 200);
    }
  });
});

describe('the server', () => {
  it('lists its models as each provider does', async () => {
    const openai = await fetch(`${model.openaiUrl}/models`);
    expect(await openai.json()).toMatchObject({ object: 'list', data: [{ id: 'fake-model' }] });
    const headers = { 'anthropic-version': '2023-06-01' };
    const anthropic = await fetch(`${model.anthropicUrl}/models`, { headers });
    expect(await anthropic.json()).toMatchObject({
      data: [{ type: 'model', id: 'fake-model' }],
      has_more: false,
    });
  });

  it('knows only the models and the key that it was given', async () => {
    await model.close();
    model = await FakeModel.start({ models: ['known'], key: 'right' });
    model.script(['hello']);
    expect((await chat('hi')).status).toBe(401);
    const send = (name: string) =>
      ask(
        `${model.openaiUrl}/chat/completions`,
        { model: name, messages: [{ role: 'user', content: 'hi' }] },
        { authorization: 'Bearer right' },
      );
    expect((await send('unknown')).json).toMatchObject({ error: { code: 'model_not_found' } });
    expect((await send('known')).status).toBe(200);
    expect(model.requests.map(({ key }) => key)).toEqual([undefined, 'right', 'right']);
  });

  it('answers 404 on other paths, and 400 to what is not JSON', async () => {
    expect((await fetch(`${model.openaiUrl}/embeddings`, { method: 'POST' })).status).toBe(404);
    expect(model.lookups).toMatchObject([{ method: 'POST', path: '/v1/embeddings' }]);
    const url = `${model.openaiUrl}/chat/completions`;
    expect((await fetch(url, { method: 'POST', body: '{' })).status).toBe(400);
  });

  it('closes while clients still wait', async () => {
    model.script([fault.hang()]);
    const answered = chat('go').catch(() => 'gone');
    await model.received(0);
    await model.close();
    expect(await answered).toBe('gone');
    model = await FakeModel.start();
  });
});
