import {
  type AssistantPart,
  channelTopic,
  type InboxItem,
  type StoredItem,
  textOf,
} from '@stoa/protocol';
import { dataOf } from '../kernel/codec.js';
import type { LogEntry } from '../kernel/entry.js';
import type { Ephemeral } from '../kernel/reader.js';
import type { Timers } from '../ports.js';
import type { Claim } from './ownership.js';

/** A run that has the turn in a thread, and the member it speaks as. */
export interface DraftedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly channelId: string;
  readonly memberId: string;
  readonly displayName: string;
  readonly threadRootMessageId: string;
  readonly replyToMessageId: string;
  /** Whether its final text is published; false where people have to approve its posts. */
  readonly publishesText: boolean;
}

/** The draft of a run that has a turn in a channel. */
export function draftedRun(
  { runId, kind, origin, session }: Claim,
  items: readonly InboxItem[],
): Omit<DraftedRun, 'publishesText'> | undefined {
  const { channelId, messageId } = origin;
  const delivery = items.find((item) => item.delivery !== undefined)?.delivery;
  if (kind !== 'channel_delivery' || !delivery || !channelId || !messageId) return undefined;
  return {
    runId,
    sessionId: session.sessionId,
    channelId,
    memberId: delivery.self.memberId,
    displayName: delivery.self.name,
    threadRootMessageId: delivery.threadRootMessageId,
    replyToMessageId: delivery.replyToMessageId ?? messageId,
  };
}

interface Draft {
  readonly of: DraftedRun;
  /** The source of the text: a step of the agent, or a call that the model is still writing. */
  part: string | undefined;
  text: string;
  /** The last output that the run emitted. It is published when the run ends. */
  emitted: string | undefined;
  /** How many characters of the text were sent. */
  sent: number;
  /** Whether readers have text that is no longer part of the draft. */
  isBehind: boolean;
  /** Whether anything was sent. */
  isShown: boolean;
  cancelTimer: (() => void) | undefined;
}

/** Models write faster than people read, and a channel has many readers. */
const COALESCE_MS = 100;
/** The maximum length of a draft; the message contains the whole text. */
const DRAFT_CHARS = 65_536;

/**
 * Shows readers of a channel what agents that have the turn are writing. A draft contains only text that can become the
 * message: the text of the current step until the run emits an output or calls a tool, and then the output. Drafts are
 * not stored.
 *
 *   nothing ──text, or an emitted output──▶ shown ──a tool is called──▶ nothing, or the emitted output
 *                                             ├──another step, or another output──▶ shown, replaced
 *                                             └──its run ended, or another daemon has it──▶ over
 */
export class ChannelDrafts {
  /** By run. */
  readonly #drafts = new Map<string, Draft>();

  constructor(
    private readonly timers: Timers,
    private readonly send: (topic: string, frame: Ephemeral) => void,
  ) {}

  /** Shows what this run writes from now on. */
  begin(of: DraftedRun): void {
    this.#drafts.set(of.runId, {
      of,
      part: undefined,
      text: '',
      emitted: undefined,
      sent: 0,
      isBehind: false,
      isShown: false,
      cancelTimer: undefined,
    });
  }

  /** Adds text of a step. The text of the last step is published. */
  showText(runId: string, step: number, text: string): void {
    const draft = this.#drafts.get(runId);
    if (draft?.of.publishesText !== true || draft.emitted !== undefined) return;
    this.#write(draft, `step ${String(step)}`, text);
  }

  withdrawText(runId: string, step: number): void {
    const draft = this.#drafts.get(runId);
    if (draft?.part === `step ${String(step)}`) this.#put(draft, undefined, '');
  }

  /** Adds text of a call that will emit it and that the model is still writing. */
  showOutput(runId: string, callId: string, text: string): void {
    const draft = this.#drafts.get(runId);
    if (draft) this.#write(draft, `call ${callId}`, text);
  }

  /** Such a call was not made: the draft returns to the last emitted output. */
  withdrawOutput(runId: string): void {
    const draft = this.#drafts.get(runId);
    if (draft?.part?.startsWith('call ')) this.#put(draft, undefined, draft.emitted ?? '');
  }

  emitted(runId: string, items: readonly StoredItem[]): void {
    const draft = this.#drafts.get(runId);
    if (!draft) return;
    draft.emitted = textOf(items);
    this.#put(draft, undefined, draft.emitted);
  }

  /** Text before a tool call is not published. */
  messageEnded(runId: string, parts: readonly AssistantPart[]): void {
    if (!parts.some((part) => part.type === 'tool_call')) return;
    const draft = this.#drafts.get(runId);
    if (draft?.part?.startsWith('step ')) this.#put(draft, undefined, draft.emitted ?? '');
  }

  /** The run ended, or its driver stopped. `commit` may contain the message that its draft became. Idempotent. */
  ended(runId: string, commit: readonly LogEntry[] = []): void {
    const draft = this.#drafts.get(runId);
    if (!draft) return;
    draft.cancelTimer?.();
    this.#drafts.delete(runId);
    if (!draft.isShown) return;
    const topic = channelTopic(draft.of.channelId);
    const messageId = messageOf(draft.of, topic, commit);
    const became = messageId === undefined ? {} : { messageId };
    this.send(topic, { type: 'draft_ended', topic, runId, ...became });
  }

  /** The drafts of a topic, for a late subscriber. */
  soFar(topic: string): Ephemeral[] {
    const frames: Ephemeral[] = [];
    for (const draft of this.#drafts.values()) {
      if (draft.sent === 0 || channelTopic(draft.of.channelId) !== topic) continue;
      frames.push(frameOf(draft, 0, draft.text.slice(0, draft.sent)));
    }
    return frames;
  }

  #write(draft: Draft, part: string, text: string): void {
    if (draft.part !== part) {
      this.#put(draft, part, text);
      return;
    }
    const room = DRAFT_CHARS - draft.text.length;
    if (room <= 0) return;
    draft.text += text.slice(0, room);
    this.#flushSoon(draft);
  }

  /** Replaces the text. A common beginning is not sent again. */
  #put(draft: Draft, part: string | undefined, text: string): void {
    const next = text.slice(0, DRAFT_CHARS);
    const same = commonLength(draft.text, next, draft.sent);
    if (same < draft.sent) draft.isBehind = true;
    draft.part = part;
    draft.text = next;
    draft.sent = same;
    this.#flushSoon(draft);
  }

  #flushSoon(draft: Draft): void {
    draft.cancelTimer ??= this.timers.after(COALESCE_MS, () => {
      this.#flush(draft);
    });
  }

  #flush(draft: Draft): void {
    draft.cancelTimer = undefined;
    const { sent, text } = draft;
    if (!draft.isBehind && sent === text.length) return;
    draft.sent = text.length;
    draft.isBehind = false;
    draft.isShown = true;
    this.send(channelTopic(draft.of.channelId), frameOf(draft, sent, text.slice(sent)));
  }
}

/** The message of a run is published in the commit that ends the run. */
function messageOf(
  { sessionId }: DraftedRun,
  topic: string,
  entries: readonly LogEntry[],
): string | undefined {
  for (const entry of entries) {
    if (entry.topic !== topic || entry.type !== 'message_posted') continue;
    const { messageId, author } = dataOf('message_posted', entry);
    if (author.id === `session:${sessionId}`) return messageId;
  }
  return undefined;
}

function frameOf({ of }: Draft, offset: number, text: string): Ephemeral {
  const { runId, channelId, memberId, displayName, threadRootMessageId, replyToMessageId } = of;
  const who = { memberId, displayName, threadRootMessageId, replyToMessageId };
  return { type: 'draft', topic: channelTopic(channelId), runId, ...who, offset, text };
}

/** The length of the common beginning of two texts, at most `max`. */
function commonLength(a: string, b: string, max: number): number {
  if (b.startsWith(a.slice(0, max))) return Math.min(max, b.length);
  let same = 0;
  while (same < max && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}
