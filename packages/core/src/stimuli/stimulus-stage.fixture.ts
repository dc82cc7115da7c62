import {
  type AutonomyPolicySettings,
  type ChannelEvent,
  type CreateStimulus,
  channelTopic,
  type Message,
  type Principal,
  type Stimulus,
  SYSTEM,
  type ThreadWork,
  type UpdateThreadWork,
} from '@stoa/protocol';
import { ERASE_CHUNKS, insertEvent, openTopicEnd } from '@stoa/store';
import { OWNER, type StoreEngine } from '@stoa/testkit';
import { channelToChange } from '../channels/channel-gate.js';
import { MODULES } from '../create-core.js';
import { Registry } from '../kernel/registry.js';
import { TurnStage } from '../turns/turn-stage.fixture.js';
import type { StimulusContext } from './context.js';
import { dispatch } from './dispatch.js';

const CHANNEL = 'team';

/** A channel with sessions as members. Stimuli are posted when the test calls `tick` or `pass`. */
export class StimulusStage {
  private constructor(readonly turns: TurnStage) {}

  static async open(
    engine: StoreEngine,
    names: readonly string[],
    policy: AutonomyPolicySettings = {},
  ): Promise<StimulusStage> {
    return new StimulusStage(await TurnStage.open(engine, names, policy));
  }

  get core() {
    return this.turns.core;
  }

  /** The session of a member, as a caller. */
  as(name: string): Principal {
    return { kind: 'session', id: this.turns.sessionOf(name), credentialId: 'session' };
  }

  put(content: string, request: Partial<CreateStimulus> = {}, by = OWNER): Promise<Stimulus> {
    return this.core.stimuli.create(by, CHANNEL, {
      kind: 'agent_idea',
      scope: request.threadRootMessageId === undefined ? 'channel' : 'thread',
      visibilityHint: 'auto',
      content,
      ...request,
    });
  }

  /** Creates a stimulus and posts what is due. */
  async post(
    content: string,
    request: Partial<CreateStimulus> = {},
    by = OWNER,
  ): Promise<Stimulus> {
    const { stimulusId } = await this.put(content, request, by);
    await this.core.stimuli.tick();
    return this.get(stimulusId);
  }

  get(stimulusId: string): Promise<Stimulus> {
    return this.core.stimuli.get(OWNER, CHANNEL, stimulusId);
  }

  async stimuli(): Promise<Stimulus[]> {
    return (await this.core.stimuli.list(OWNER, CHANNEL, { limit: 200 })).stimuli.reverse();
  }

  async states(): Promise<string[]> {
    return (await this.stimuli()).map(({ state, reason }) =>
      reason ? `${state} ${reason}` : state,
    );
  }

  async pass(milliseconds: number): Promise<void> {
    await this.turns.pass(milliseconds);
    await this.core.stimuli.tick();
  }

  async work(): Promise<ThreadWork[]> {
    return (await this.core.threadWork.list(OWNER, CHANNEL, { state: 'all', limit: 200 })).work;
  }

  async workOf(rootMessageId: string): Promise<ThreadWork> {
    const found = (await this.work()).find((work) => work.threadRootMessageId === rootMessageId);
    if (!found) throw new Error(`there is no work in ${rootMessageId}`);
    return found;
  }

  update(rootMessageId: string, change: UpdateThreadWork): Promise<ThreadWork> {
    return this.core.threadWork.update(OWNER, CHANNEL, rootMessageId, change);
  }

  async message(messageId: string | undefined): Promise<Message> {
    return this.core.channels.message(OWNER, CHANNEL, messageId ?? '');
  }

  async feed(): Promise<string[]> {
    const page = { scope: 'feed' as const, after: 0, limit: 200 };
    const { messages } = await this.core.channels.messages(OWNER, CHANNEL, page);
    return messages.map(({ inputItems: [item] }) => (item?.type === 'text' ? item.text : ''));
  }

  /** Kills the daemon and starts another. */
  async restart(): Promise<void> {
    await this.turns.restart();
    await this.core.recovery.run();
  }

  /** Writes an event as a daemon would that crashed after it, or had a defect. */
  async write(event: ChannelEvent): Promise<void> {
    await this.turns.daemon.store.transact(function* () {
      const end = yield* openTopicEnd.first({ name: channelTopic(CHANNEL) });
      if (!end) throw new Error('there is no channel');
      const position = { topicId: end.id, seq: end.head + 1, at: 1, actor: 'system' };
      const body = JSON.stringify(event.data);
      yield* insertEvent.run({ ...position, type: event.type, body });
      yield* new Registry(MODULES).project(position, event);
    });
  }

  /** The daemon claims it and is killed before it posts. */
  async claimAndDie(stimulusId: string): Promise<void> {
    const { attempts } = await this.get(stimulusId);
    const { daemonId } = this.core.ownership;
    const data = { stimulusId, attempt: attempts + 1, daemonId };
    await this.write({ type: 'stimulus_claimed', data });
  }

  /** Repeats an attempt that a daemon began earlier; throws if it would post. */
  async dispatchLate(stimulusId: string, attempt: number): Promise<void> {
    const now = this.turns.world.clock.now();
    const events = await this.turns.daemon.store.transact(function* () {
      const channel = yield* channelToChange(SYSTEM, CHANNEL);
      return yield* dispatch({} as StimulusContext, channel, stimulusId, attempt, now);
    });
    if (events.length > 0) throw new Error('it would write');
  }

  /** Deletes the rows, not the events. */
  async loseWork(): Promise<void> {
    const erase = ERASE_CHUNKS.find(({ text }) => text.sqlite.includes('FROM "threadWork"'));
    if (!erase) throw new Error('nothing erases the work of threads');
    await this.turns.daemon.store.transact(function* () {
      const topic = yield* openTopicEnd.first({ name: channelTopic(CHANNEL) });
      yield* erase.run({ topicId: topic?.id ?? 0, limit: 1_000 });
    });
  }

  async close(): Promise<void> {
    await this.turns.assertIntact();
    await this.turns.close();
  }
}
