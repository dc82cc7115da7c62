import { type AssistantPart, channelTopic, type StoredItem, textOf } from '@stoa/protocol';
import { dataOf } from '../kernel/codec.js';
import type { LogEntry } from '../kernel/entry.js';
import type { Ephemeral } from '../kernel/reader.js';
import type { Timers } from '../ports.js';

/** A run that has the turn somewhere, and who it speaks as there. */
export interface DraftedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly channelId: string;
  readonly memberId: string;
  readonly displayName: string;
  readonly threadRootMessageId: string;
  readonly replyToMessageId: string;
  /** Whether what it writes last is published; not where people have to approve what it says. */
  readonly publishesText: boolean;
}

interface Draft {
  readonly of: DraftedRun;
  /** What the text is of: a step of the agent, or a call that is being written. */
  part: string | undefined;
  text: string;
  /** What the run emitted: the last one is what will be published. */
  emitted: string | undefined;
  /** How much of the text has been shown, and whether readers have more than that. */
  sent: number;
  isBehind: boolean;
  isShown: boolean;
  cancelTimer: (() => void) | undefined;
}

/** What is written comes faster than people read, and a channel has many readers. */
const COALESCE_MS = 100;
/** What a draft shows at most; all of it is in the message. */
const DRAFT_CHARS = 65_536;

/**
 * What agents who have the turn are writing for everybody, while they write it. Only what may become
 * the message is shown: the text of the current step until the run emits something or calls a tool,
 * and then what it emits. None of it is stored.
 *
 *   nothing ──text, or an emitted output──▶ shown ──a tool is called──▶ nothing, or what was emitted
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

  /** From here on what this run writes is shown, once there is something. */
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

  /** The text of a step, which is published if it turns out to be the last one. */
  showText(runId: string, step: number, text: string): void {
    const draft = this.#drafts.get(runId);
    if (draft?.of.publishesText !== true || draft.emitted !== undefined) return;
    this.#write(draft, `step ${String(step)}`, text);
  }

  withdrawText(runId: string, step: number): void {
    const draft = this.#drafts.get(runId);
    if (draft?.part === `step ${String(step)}`) this.#put(draft, undefined, '');
  }

  /** What is to be emitted by a call that is still being written. */
  showOutput(runId: string, callId: string, text: string): void {
    const draft = this.#drafts.get(runId);
    if (draft) this.#write(draft, `call ${callId}`, text);
  }

  /** Such a call came to nothing: what was emitted before it counts. */
  withdrawOutput(runId: string): void {
    const draft = this.#drafts.get(runId);
    if (draft?.part?.startsWith('call ')) this.#put(draft, undefined, draft.emitted ?? '');
  }

  emitted(runId: string, items: readonly StoredItem[]): void {
    this.#emitted(runId, textOf(items));
  }

  /** A call of a tool begins: the text written before it is not the answer. */
  messageEnded(runId: string, parts: readonly AssistantPart[]): void {
    if (parts.some((part) => part.type === 'tool_call')) this.#called(runId);
  }

  /** The run ended, or its driver stopped. `commit` may hold the message that its draft became. Idempotent. */
  ended(runId: string, commit: readonly LogEntry[] = []): void {
    this.#end(runId, commit);
  }

  /** What is being written on a topic, for who has just come. */
  soFar(topic: string): Ephemeral[] {
    const frames: Ephemeral[] = [];
    for (const draft of this.#drafts.values()) {
      if (draft.sent === 0 || channelTopic(draft.of.channelId) !== topic) continue;
      frames.push(frameOf(draft, 0, draft.text.slice(0, draft.sent)));
    }
    return frames;
  }

  #emitted(runId: string, text: string): void {
    const draft = this.#drafts.get(runId);
    if (!draft) return;
    draft.emitted = text;
    this.#put(draft, undefined, text);
  }

  /** Text before a call is not published. */
  #called(runId: string): void {
    const draft = this.#drafts.get(runId);
    if (draft?.part?.startsWith('step ')) this.#put(draft, undefined, draft.emitted ?? '');
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

  /** What stays the same at its beginning need not be shown again. */
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

  #end(runId: string, entries: readonly LogEntry[]): void {
    const draft = this.#drafts.get(runId);
    if (!draft) return;
    draft.cancelTimer?.();
    this.#drafts.delete(runId);
    if (!draft.isShown) return;
    const topic = channelTopic(draft.of.channelId);
    const messageId = messageOf(draft.of, topic, entries);
    const became = messageId === undefined ? {} : { messageId };
    this.send(topic, { type: 'draft_ended', topic, runId, ...became });
  }
}

/** What the run said is published in the commit that ends it. */
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

/** How far two texts are the same, of the first `most` characters. */
function commonLength(a: string, b: string, most: number): number {
  if (b.startsWith(a.slice(0, most))) return Math.min(most, b.length);
  let same = 0;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}
