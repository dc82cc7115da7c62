import type { AutonomyPolicy, ChannelEvent, TurnDecision } from '@stoa/protocol';
import { violated } from '../simulation/failure.js';
import type { VirtualDisk } from '../simulation/virtual-disk.js';
import {
  applyEvent,
  boundsIn,
  type ChannelModel,
  type LeaseModel,
  newChannelModel,
  sessionOf,
  type ThreadModel,
} from './channel-model.js';
import { checkDecision, type SessionFacts } from './check-decision.js';
import { type RunModel, SessionLedger } from './session-ledger.js';
import { runIdIn } from './sim-speaker.js';
import { StimulusLedger } from './stimulus-ledger.js';

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly body: string;
}

type Posted = Extract<ChannelEvent, { type: 'message_posted' }>['data'];

/**
 * Follows the logs of a history, commit by commit, and checks their content: it reads only what
 * a commit has added.
 */
export class TurnLedger implements SessionFacts {
  readonly #heads = new Map<number, number>();
  readonly channels = new Map<string, ChannelModel>();
  readonly sessions = new SessionLedger();
  readonly stimuli = new StimulusLedger();
  readonly #spoke = new Map<string, number>();
  readonly #lastSpeakers = new Map<string, string>();
  readonly #posts = new Set<string>();
  /** What the next event of the channel has to be. */
  #expected: { readonly messageId: string; readonly runId?: string | undefined } | undefined;

  constructor(
    private readonly disk: VirtualDisk,
    private readonly policy: AutonomyPolicy,
  ) {}

  /** Reads what was committed since. */
  catchUp(): void {
    const topics = this.disk.rows<{ id: number; name: string; head: number | null }>(
      `SELECT t."id", t."name", (SELECT max(e."seq") FROM "events" e WHERE e."topicId" = t."id") AS "head"
       FROM "topics" t ORDER BY t."name" DESC`,
    );
    // Sessions before channels: what a decision gives or takes is in their logs by then.
    for (const { id, name, head } of topics) {
      const known = this.#heads.get(id) ?? 0;
      if (head === null || known === head) continue;
      const rows = this.disk.rows<EventRow>(
        `SELECT "seq", "at", "type", "body" FROM "events" WHERE "topicId" = ? AND "seq" > ?
         ORDER BY "seq"`,
        id,
        known,
      );
      rows.forEach(({ seq }, i) => {
        if (seq !== known + 1 + i) violated('the sequence has a gap', { topic: name, seq });
      });
      this.#heads.set(id, head);
      if (name.startsWith('session:')) {
        for (const row of rows) this.sessions.take(name.slice('session:'.length), row);
      } else if (name.startsWith('channel:'))
        this.#takeChannel(name.slice('channel:'.length), rows);
    }
    this.#checkRuns();
  }

  hasEnded(sessionId: string): boolean {
    return this.sessions.hasEnded(sessionId);
  }

  activeAt(runId: string): number | undefined {
    return this.sessions.run(runId).activeAt;
  }

  spokeAt(rootMessageId: string, sessionId: string): number | undefined {
    return this.#spoke.get(`${rootMessageId} ${sessionId}`);
  }

  lastSpeaker(rootMessageId: string): string | undefined {
    return this.#lastSpeakers.get(rootMessageId);
  }

  #takeChannel(channelId: string, rows: readonly EventRow[]): void {
    let model = this.channels.get(channelId);
    if (!model) {
      model = newChannelModel(this.policy);
      this.channels.set(channelId, model);
    }
    for (const { type, body, at, seq } of rows) {
      const event = { type, data: JSON.parse(body) as unknown } as ChannelEvent;
      const expected = this.#expected;
      this.#expected = undefined;
      if (expected && type !== 'turn_decided') {
        violated('nothing was decided about a message', { ...expected, seq, type });
      }
      this.stimuli.take(event);
      if (event.type === 'turn_decided') this.#decided(model, event.data, at, expected);
      else {
        if (event.type === 'message_posted') {
          this.#posted(model, event.data, at);
          this.stimuli.posted(event.data, at);
        }
        applyEvent(model, event);
      }
    }
    this.stimuli.checkRoom(model);
    if (this.#expected) violated('nothing was decided about a message', this.#expected);
  }

  #posted(
    model: ChannelModel,
    { messageId, author, inputItems, ...position }: Posted,
    at: number,
  ): void {
    const [item] = inputItems;
    const text = item?.type === 'text' ? item.text : '';
    const rootMessageId = position.threadRootMessageId ?? messageId;
    if (author.kind === 'human') {
      const [key = ''] = text.split(' ', 1);
      if (this.#posts.has(key)) violated('one post was stored twice', { text });
      this.#posts.add(key);
      if (model.members.size > 0) this.#expected = { messageId };
      return;
    }
    const sessionId = sessionOf(author.id) ?? '';
    this.#spoke.set(`${rootMessageId} ${sessionId}`, at);
    if (sessionId !== '') this.#lastSpeakers.set(rootMessageId, sessionId);
    const runId = runIdIn(text);
    if (runId === undefined) return;
    const lease = model.leaseOfRun.get(runId);
    if (!lease?.isLive) violated('a run published without the turn', { runId, lease });
    if (lease.hasSpoken) violated('a run published twice', { runId });
    if (lease.sessionId !== sessionId || lease.rootMessageId !== rootMessageId) {
      violated('a run published where it had no turn', { lease, sessionId, rootMessageId });
    }
    if (position.replyToMessageId !== lease.replyTo) {
      violated('a reply is to something else than what it answers', { lease, position });
    }
    const { output } = this.sessions.run(runId);
    if (output !== text) violated('the published text is not the output', { output, text });
    lease.hasSpoken = true;
    const thread = model.threads.get(rootMessageId) as ThreadModel;
    const isOwn = lease.turnId === thread.turn.turnId;
    // A reply to something earlier is paid for there, and calls nobody before whom a person named.
    if (isOwn) thread.replies += 1;
    if (isOwn || thread.turn.selected.every((id) => thread.served.has(id))) {
      thread.called.clear();
      for (const memberId of position.addressedMemberIds) {
        const called = model.members.get(memberId)?.sessionId;
        if (called !== undefined) thread.called.add(called);
      }
      thread.calledBy = messageId;
    }
    const most = boundsIn(thread.turn, model.policy).replies;
    if (thread.replies > most) violated('more replies than a message of a person allows', { most });
    const origin = model.messages.get(lease.originMessageId);
    if (origin && ++origin.answers > lease.maxReplies)
      violated('a message was answered too often', { ...origin });
    this.#expected = { messageId, runId };
  }

  #decided(
    model: ChannelModel,
    decision: TurnDecision,
    at: number,
    expected: { readonly messageId: string; readonly runId?: string | undefined } | undefined,
  ): void {
    const { turn, trigger } = decision;
    const root = turn.threadRootMessageId;
    let thread = model.threads.get(root);
    if (trigger.type === 'message') {
      if (turn.stimulus) {
        const author = model.messages.get(turn.originMessageId)?.authorId ?? '';
        const isOwn = root !== turn.originMessageId && sessionOf(author) !== undefined;
        this.stimuli.checkTurn(model, thread?.turn, turn, { isOwn });
      } else if (
        !expected ||
        expected.runId !== undefined ||
        expected.messageId !== trigger.messageId
      ) {
        violated('a turn was opened by a message that is not from a person', { trigger, expected });
      }
      thread = newThread(root, decision, thread?.live ?? new Map<string, LeaseModel>());
      model.threads.set(root, thread);
      this.#checkSelection(model, trigger.messageId ?? '', decision);
    } else if (expected && trigger.runId !== expected.runId) {
      violated('nothing was decided about a message', { trigger, expected });
    }
    if (!thread || thread.turn.turnId !== turn.turnId) {
      violated('a decision about a turn that is not there', { turn });
    }
    this.#checkTrigger(model, thread, decision, at);
    const sessionsOf = (ended: TurnDecision['ended']): Set<string> =>
      new Set(ended.map(({ leaseId }) => model.leases.get(leaseId)?.sessionId ?? ''));
    const spoke = sessionsOf(decision.ended);
    const replaced = sessionsOf(decision.ended.filter(({ outcome }) => outcome === 'superseded'));
    this.#apply(model, thread, decision, at, expected?.runId);
    thread.turn = turn;
    checkDecision({ model, thread, decision, at, spoke, replaced, sessions: this });
    for (const { sessionId } of decision.granted) thread.called.delete(sessionId);
  }

  #checkSelection(
    { messages, members }: ChannelModel,
    messageId: string,
    { turn }: TurnDecision,
  ): void {
    const wanted = (messages.get(messageId)?.addressed ?? []).flatMap(
      (memberId) => members.get(memberId)?.sessionId ?? [],
    );
    if (wanted.length > 0 && wanted.join() !== turn.selected.join()) {
      violated('somebody else was selected than addressed', { wanted, turn });
    }
  }

  /** A thread is reevaluated for a reason that is in the log. */
  #checkTrigger(
    model: ChannelModel,
    { turn: before }: ThreadModel,
    { trigger, ended }: TurnDecision,
    at: number,
  ): void {
    switch (trigger.type) {
      case 'message':
      case 'cancelled':
        return;
      case 'run_ended': {
        const lease = model.leaseOfRun.get(trigger.runId ?? '');
        const isEnd = lease !== undefined && ended[0]?.leaseId === lease.leaseId;
        if (!isEnd || !this.sessions.run(lease.runId).hasEnded) {
          violated('a thread goes on after a run that has not ended', { trigger, lease });
        }
        return;
      }
      case 'time':
        if (before.wakeAt === undefined || before.wakeAt > at || before.closedAt !== undefined) {
          violated('a thread was reevaluated before its time', { before, at });
        }
        return;
      case 'answered':
        if (!this.sessions.hasAnswers(before.threadRootMessageId)) {
          violated('a thread was reevaluated for an answer that nobody gave', { before });
        }
        return;
      case 'resumed':
        if (model.paused || model.archived)
          violated('a channel that is paused goes on', { trigger });
    }
  }

  #apply(
    model: ChannelModel,
    thread: ThreadModel,
    { turn, granted, renewed, ended }: TurnDecision,
    at: number,
    spoken: string | undefined,
  ): void {
    for (const { leaseId, outcome } of ended) {
      const lease = model.leases.get(leaseId);
      if (!lease?.isLive) violated('a turn ended that nobody had', { leaseId });
      if (
        (outcome === 'spoke') !== lease.hasSpoken ||
        (spoken === lease.runId && !lease.hasSpoken)
      ) {
        violated('the outcome of a turn is not what happened', { lease, outcome });
      }
      const isSilence = outcome === 'abstained' || outcome === 'reacted';
      const { output } = this.sessions.run(lease.runId);
      if (isSilence && output !== undefined) {
        violated('an answer was taken for silence', { lease, outcome, output });
      }
      lease.isLive = false;
      thread.live.delete(leaseId);
      if (lease.turnId !== turn.turnId) continue;
      if (outcome === 'unclaimed') thread.runs -= 1;
      else thread.served.add(lease.sessionId);
    }
    for (const { leaseId, deadline } of renewed) {
      const lease = model.leases.get(leaseId);
      if (!lease?.isLive) violated('a turn was renewed that nobody has', { leaseId });
      lease.deadline = deadline;
    }
    for (const { leaseId, runId, sessionId, deadline } of granted) {
      if ([...thread.live.values()].some((lease) => lease.sessionId === sessionId)) {
        violated('a session has the turn twice', { sessionId });
      }
      const lease: LeaseModel = {
        leaseId,
        runId,
        sessionId,
        turnId: turn.turnId,
        rootMessageId: thread.rootMessageId,
        originMessageId: turn.originMessageId,
        replyTo: thread.called.has(sessionId) ? thread.calledBy : turn.originMessageId,
        maxReplies: boundsIn(turn, model.policy).replies,
        grantedAt: at,
        deadline,
        isLive: true,
        hasSpoken: false,
      };
      model.leases.set(leaseId, lease);
      model.leaseOfRun.set(runId, lease);
      thread.live.set(leaseId, lease);
      thread.runs += 1;
    }
  }

  /** Work of channels is given by decisions alone, and each gives it once; a run without its turn is over. */
  #checkRuns(): void {
    for (const run of this.sessions.touched()) {
      if (!run.isDelivery) continue;
      const [model, lease] = this.#leaseOf(run);
      if (run.hasStarted) {
        const thread = model.threads.get(lease.rootMessageId);
        if (thread && thread.turn.turnId === lease.turnId) {
          thread.started.add(run.runId);
          const most = boundsIn(thread.turn, model.policy).runs;
          if (thread.started.size > most)
            violated('more runs were started than a turn may have', { most });
        }
      }
    }
    for (const model of this.channels.values()) {
      for (const { live } of model.threads.values()) {
        for (const { runId, leaseId } of live.values()) {
          if (this.sessions.run(runId).hasEnded)
            violated('a run ended and kept its turn', { runId, leaseId });
        }
      }
    }
  }

  #leaseOf(run: RunModel): [ChannelModel, LeaseModel] {
    for (const model of this.channels.values()) {
      const lease = model.leaseOfRun.get(run.runId);
      if (!lease) continue;
      if (!lease.isLive && !run.hasEnded) violated('a run goes on without its turn', { ...run });
      return [model, lease];
    }
    return violated('a run was begun that no decision gave', { ...run });
  }
}

const newThread = (
  rootMessageId: string,
  { turn }: TurnDecision,
  live: Map<string, LeaseModel>,
): ThreadModel => ({
  rootMessageId,
  turn,
  replies: 0,
  runs: 0,
  started: new Set(),
  served: new Set(),
  called: new Set(),
  calledBy: undefined,
  live,
});
