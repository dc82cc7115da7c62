import { createHmac } from 'node:crypto';
import type {
  CreateObservationSource,
  Observation,
  ObservationSourceWithSecret,
} from '@stoa/protocol';
import { LIMITS } from '@stoa/protocol';
import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { StimulusStage } from '../stimuli/stimulus-stage.fixture.js';
import type { Delivery } from './receive.js';

const MINUTE = 60_000;
const CHANNEL = 'team';

describe.each(STORE_ENGINES)('observations on $name', (engine) => {
  let stage: StimulusStage;
  let sent = 0;
  const open = async (policy = {}): Promise<void> => {
    stage = await StimulusStage.open(engine, [], policy);
  };
  afterEach(async () => {
    await stage.close();
  });

  const newSource = (
    more: Partial<CreateObservationSource> = {},
  ): Promise<ObservationSourceWithSecret> =>
    stage.core.observations.create(OWNER, {
      channelId: CHANNEL,
      title: 'Disk',
      scope: 'channel',
      visibilityHint: 'auto',
      enabled: true,
      ...more,
    });
  const delivery = (
    { source, secret }: ObservationSourceWithSecret,
    text: string,
    more: Partial<Delivery> & { readonly at?: number } = {},
  ): Delivery => {
    const at = more.at ?? stage.turns.world.clock.now();
    const signedAt = String(Math.floor(at / 1_000));
    const body = new TextEncoder().encode(text);
    sent += 1;
    return {
      sourceId: source.sourceId,
      deliveryId: `delivery-${String(sent)}`,
      signedAt,
      signature: createHmac('sha256', secret).update(`${signedAt}.${text}`).digest('hex'),
      body,
      payload: () => ({
        text,
        ...(text.startsWith('{') ? { json: JSON.parse(text) as unknown } : {}),
      }),
      ...more,
    };
  };
  const send = (...args: Parameters<typeof delivery>): Promise<Observation> =>
    stage.core.observations.receive(delivery(...args));
  const refused = (attempt: Promise<unknown>, code = 'observation_refused') =>
    expect(attempt).rejects.toMatchObject({ code });

  it('C-41 an observation is posted by the system, and the next one of its source continues its thread', async () => {
    await open();
    const source = await newSource();
    const { sourceId } = source.source;
    const first = await send(source, 'disk 91% full');
    const second = await send(source, 'disk 95% full');
    await stage.core.stimuli.tick();
    await stage.core.stimuli.tick();
    expect(await stage.turns.messages()).toEqual([
      'system: disk 91% full',
      'system: disk 95% full',
    ]);
    expect(await stage.feed()).toEqual(['disk 91% full']);
    const [one, two] = await stage.stimuli();
    expect(one).toMatchObject({
      stimulusId: first.stimulusId,
      kind: 'observation_materialized',
      state: 'dispatched',
      createdBy: 'system',
      metadata: { observationId: first.observationId },
    });
    expect((await stage.message(one?.messageId)).author.kind).toBe('system');
    expect(await stage.workOf(one?.messageId ?? '')).toMatchObject({
      topicKind: 'autonomous_root',
      bindings: [
        { bindingKind: 'observation', bindingRef: sourceId, latestStimulusId: two?.stimulusId },
      ],
    });
    // After the work is completed, the next observation starts a thread.
    await stage.update(one?.messageId ?? '', { status: 'completed' });
    await stage.pass(10 * MINUTE);
    await send(source, 'disk 97% full');
    await stage.core.stimuli.tick();
    expect(await stage.feed()).toEqual(['disk 91% full', 'disk 97% full']);
    const { observations } = stage.core;
    expect((await observations.observations(OWNER, sourceId, 2)).map((o) => o.excerpt)).toEqual([
      'disk 97% full',
      'disk 95% full',
    ]);
    expect((await observations.observations(OWNER, sourceId, 9)).at(-1)).toEqual(first);
    expect(second.observationId).not.toBe(first.observationId);
  });

  it('C-41 a repeated delivery gets the first answer again, also concurrently and with another body', async () => {
    await open();
    const source = await newSource();
    const named = { deliveryId: 'mine' };
    const answers = await Promise.all([
      send(source, 'seen', named),
      send(source, 'seen', named),
      send(source, 'something else', named),
    ]);
    expect(new Set(answers.map(({ observationId }) => observationId)).size).toBe(1);
    await stage.pass(MINUTE);
    expect(await send(source, 'seen', named)).toEqual(answers[0]);
    expect(await stage.stimuli()).toHaveLength(1);
    // An intercepted request cannot be replayed with another delivery id.
    const intercepted = delivery(source, 'received');
    const first = await stage.core.observations.receive(intercepted);
    const again = { ...intercepted, deliveryId: 'another' };
    expect(await stage.core.observations.receive(again)).toEqual(first);
    expect(await stage.stimuli()).toHaveLength(2);
    // Another source may use the same delivery id.
    const other = await send(await newSource(), 'seen', named);
    expect(other.observationId).not.toBe(answers[0].observationId);
  });

  it('C-41 a wrong signature, a late request and an unknown source get the same refusal, and store nothing', async () => {
    await open();
    const source = await newSource();
    const now = stage.turns.world.clock.now();
    const unread = () => {
      throw new Error('it was read');
    };
    const wrong = { ...source, secret: 'stoa_other' };
    await refused(send(wrong, 'x', { payload: unread }));
    await refused(send(source, 'x', { body: new TextEncoder().encode('y'), payload: unread }));
    await refused(send(source, 'x', { sourceId: `src_${'0'.repeat(26)}`, payload: unread }));
    await refused(send(source, 'x', { at: now - 5 * MINUTE - 2_000, payload: unread }));
    await refused(send(source, 'x', { at: now + 5 * MINUTE + 2_000, payload: unread }));
    await refused(send(source, 'x', { signedAt: '1e3', payload: unread }));
    const { observations } = stage.core;
    const { sourceId } = source.source;
    await observations.update(OWNER, sourceId, { enabled: false });
    await refused(send(source, 'x', { payload: unread }));
    await observations.update(OWNER, sourceId, { enabled: true });
    const { secret } = await observations.rotate(OWNER, sourceId);
    const { entries } = await stage.core.readTopic(OWNER, 'channel:team', 0, 100);
    const rotated = entries.filter(({ type }) => type === 'observation_secret_rotated');
    const body = JSON.stringify({ sourceId });
    expect(rotated).toMatchObject([{ actor: 'human:owner', body }]);
    expect(JSON.stringify(entries)).not.toContain(secret);
    await refused(send(source, 'x', { payload: unread }));
    expect(await stage.stimuli()).toEqual([]);
    await send({ ...source, secret }, 'x', { at: now - 5 * MINUTE + 1_000 });
    expect(await stage.stimuli()).toHaveLength(1);
    await observations.delete(OWNER, sourceId);
    await refused(send({ ...source, secret }, 'y'));
    await refused(observations.get(OWNER, sourceId), 'source_not_found');
  });

  it('C-41 a source has a limit per minute, and only its newest observations are kept', async () => {
    await open({ maxPendingStimuli: 1_000 });
    const source = await newSource();
    const { observations } = stage.core;
    const report = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await send(source, `seen ${String(sent)}`);
    };
    await report(LIMITS.observationsPerMinute);
    await refused(send(source, 'more'), 'too_many_observations');
    // The limit does not apply to other sources.
    await send(await newSource(), 'from elsewhere');
    // The conformance tour compares this statement on all engines.
    if (engine.name !== 'sqlite') return;
    const minutes = LIMITS.observationsPerSource / LIMITS.observationsPerMinute;
    for (let minute = 0; minute < minutes; minute++) {
      stage.turns.world.clock.move(MINUTE);
      await report(LIMITS.observationsPerMinute);
    }
    const kept = await observations.observations(OWNER, source.source.sourceId, 1_000);
    expect(kept).toHaveLength(LIMITS.observationsPerSource);
  });

  it('C-41 an observation is not stored if too many stimuli wait, and its delivery can be repeated later', async () => {
    await open({ maxPendingStimuli: 1 });
    const source = await newSource();
    await send(source, 'one');
    const second = { deliveryId: 'second' };
    await refused(send(source, 'two', second), 'too_many_stimuli');
    expect(
      await stage.core.observations.observations(OWNER, source.source.sourceId, 9),
    ).toHaveLength(1);
    await stage.core.stimuli.tick();
    expect((await send(source, 'two', second)).excerpt).toBe('two');
  });

  it('fills its template, and cuts a text that is too long for a message', async () => {
    await open();
    const { messageId } = await stage.turns.say('the disks');
    const source = await newSource({
      scope: 'thread',
      threadRootMessageId: messageId,
      template:
        '{{host.name}}: {{ values.1 }} {{host}} {{nothing}}{{__proto__}}{{host.constructor}}!',
    });
    const json = '{"host":{"name":"ci-3 {{values.0}}"},"values":[1,"two"]}';
    await send(source, json);
    await stage.core.stimuli.tick();
    expect((await stage.turns.messages())[1]).toBe(
      'system: ci-3 {{values.0}}: two {"name":"ci-3 {{values.0}}"} !',
    );
    const { observations } = stage.core;
    const { sourceId } = source.source;
    expect(await observations.update(OWNER, sourceId, { template: 'y{{a}}{{a}}' })).toMatchObject({
      scope: 'thread',
      threadRootMessageId: messageId,
      template: 'y{{a}}{{a}}',
    });
    await observations.update(OWNER, sourceId, { template: '{{a}}' });
    await refused(send(source, '{}'), 'invalid_request');
    await observations.update(OWNER, sourceId, { template: 'y{{a}}{{a}}' });
    const { stimulusId } = await send(source, JSON.stringify({ a: '🙂'.repeat(20_000) }));
    const { content } = await stage.get(stimulusId);
    expect(content).toHaveLength(LIMITS.textChars - 1);
    expect(content.isWellFormed()).toBe(true);
    await observations.update(OWNER, sourceId, { template: null });
    const { excerpt } = await send(source, '{"text":"plain","more":1}');
    expect(excerpt).toBe('plain');
  });

  it('needs a valid scope, is limited per channel, and only moderators may change it', async () => {
    await open();
    await refused(newSource({ scope: 'thread' }), 'invalid_stimulus');
    await refused(
      newSource({ scope: 'thread', threadRootMessageId: `msg_${'0'.repeat(26)}` }),
      'message_not_found',
    );
    const ada = { kind: 'human', id: 'ada', owner: false, credentialId: 'crd' } as const;
    const { observations } = stage.core;
    const source = await newSource();
    const { sourceId } = source.source;
    await refused(observations.create(ada, { ...source.source, channelId: CHANNEL }), 'forbidden');
    await refused(observations.rotate(ada, sourceId), 'forbidden');
    await refused(observations.delete(ada, sourceId), 'forbidden');
    expect(await observations.get(ada, sourceId)).toEqual(source.source);
    for (let n = 1; n < LIMITS.observationSourcesPerChannel; n++) await newSource();
    await refused(newSource(), 'limit_reached');
    expect(await observations.list(ada, CHANNEL)).toHaveLength(LIMITS.observationSourcesPerChannel);
    const topic = await stage.core.readTopic(OWNER, `channel:${CHANNEL}`, 0, 100);
    expect(JSON.stringify(topic.entries)).not.toContain(source.secret);
    await stage.core.channels.delete(OWNER, CHANNEL);
    await refused(send(source, 'x'));
  });
});
