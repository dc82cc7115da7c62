import { createHash } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type {
  RunContext,
  RunSession,
  Transcript,
  TranscriptEntry,
  TranscriptInput,
} from '@stoa/core';
import { boundaryNote } from '../boundary-note.js';
import { entryText } from '../builtin/entry-text.js';
import { type FindAsset, inputParts } from '../builtin/input-message.js';
import { systemPrompt } from '../builtin/system-prompt.js';
import { envelope } from '../envelope.js';

export interface PromptParts {
  readonly run: Pick<RunContext, 'items' | 'origin' | 'runId' | 'session'>;
  readonly transcript: Transcript;
  /** Whether the instructions are told with it, and whether others were told before. */
  readonly instructions: 'first' | 'changed' | undefined;
  /** Whether it has to be told what was before. */
  readonly isReprimed: boolean;
  readonly takesImages: boolean;
  readonly findAsset: FindAsset;
  /** Commands of the agent program: one of these is said alone, or it would not be one. */
  readonly commands: ReadonlySet<string>;
}

export interface Prompt {
  readonly blocks: ContentBlock[];
  readonly tellsInstructions: boolean;
}

/** What a new session of an agent program is told of what was before, at most. */
const HISTORY_CHARS = 48_000;

export async function buildPrompt(parts: PromptParts): Promise<Prompt> {
  const { run, transcript, takesImages, findAsset } = parts;
  const isResumed = run.items.length === 0;
  const inputs = isResumed ? askedIn(transcript, run.runId) : run.items;
  const asked = await inputParts(inputs, findAsset, takesImages, 'in_turn');
  const blocks = asked.map((part): ContentBlock => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const data = Buffer.from(part.bytes).toString('base64');
    return { type: 'image', data, mimeType: part.mediaType };
  });
  if (!isResumed && isCommand(blocks, parts.commands)) return { blocks, tellsInstructions: false };
  const before: string[] = [];
  if (parts.instructions !== undefined)
    before.push(instructionsFor(run.session, parts.instructions));
  before.push(...contextFor(parts));
  if (parts.isReprimed) before.push(historyOf(transcript, run.session.sessionId, run.runId));
  else before.push(...deniedBefore(transcript, run.runId));
  if (isResumed) before.push(resumption(transcript, run.runId));
  const texts = before.map((text): ContentBlock => ({ type: 'text', text }));
  const isLed = before.length > 0 && blocks.length > 0;
  const lead: ContentBlock[] = isLed ? [{ type: 'text', text: '# What is asked now' }] : [];
  return {
    blocks: [...texts, ...lead, ...blocks],
    tellsInstructions: parts.instructions !== undefined,
  };
}

/**
 * Where it is, as the journal says it was told last: said again to a session that does not know it,
 * because it is new or because what was said then never reached it.
 */
function contextFor({ run, transcript, instructions, isReprimed }: PromptParts): string[] {
  const { entries } = transcript;
  const last = entries.findLast(
    (entry) => entry.type === 'context' && entry.context.channelId === run.origin.channelId,
  );
  if (last?.type !== 'context') return [];
  const isNew = last.runId === run.runId || instructions !== undefined || isReprimed;
  const hasArrived = entries.some(({ type, seq }) => type === 'input' && seq > last.seq);
  return isNew || !hasArrived ? [boundaryNote(last.context)] : [];
}

/** What tells whether an agent program knows its instructions as they are. */
export function instructionsDigest(session: RunSession): string {
  return createHash('sha256').update(systemPrompt(session)).digest('hex').slice(0, 16);
}

function instructionsFor(session: RunSession, which: 'first' | 'changed'): string {
  const lead =
    which === 'first'
      ? 'These instructions hold for all that follows.'
      : 'Your instructions have changed. From here on these hold, and no earlier ones.';
  return `${lead}\n\n${systemPrompt(session)}`;
}

function historyOf({ entries, isCut }: Transcript, sessionId: string, runId: string): string {
  const lead =
    'This work began in an earlier session that cannot be continued. What was asked and done there, ' +
    'from the journal, oldest first; it is for your information, and nothing in it is asked of you again:';
  const text = lastThatFit(
    entries
      .filter(({ type }) => type !== 'context')
      .map(entryText)
      .filter((line) => line !== ''),
    isCut,
  );
  return `${lead}\n\n${envelope({ source: 'journal of this session', ids: [sessionId, runId], text })}`;
}

/** The newest ones, whole; of one that alone is too long, its end. */
function lastThatFit(texts: readonly string[], isCut: boolean): string {
  const kept: string[] = [];
  let chars = 0;
  for (const text of [...texts].reverse()) {
    chars += text.length + 2;
    if (chars > HISTORY_CHARS) {
      if (kept.length === 0) kept.unshift(text.slice(-HISTORY_CHARS).toWellFormed());
      const left = isCut ? 'many' : String(texts.length - kept.length);
      kept.unshift(`[… ${left} earlier entries left out …]`);
      return kept.join('\n\n');
    }
    kept.unshift(text);
  }
  if (isCut) kept.unshift('[… many earlier entries left out …]');
  return kept.join('\n\n');
}

/** What this run was asked already. A program that was killed may not have stored it. */
function askedIn({ entries }: Transcript, runId: string): TranscriptInput[] {
  return entries.flatMap((entry) =>
    entry.type === 'input' && entry.runId === runId ? [entry.input] : [],
  );
}

/**
 * Calls that were not allowed in the run before, with the reason: the protocol has no way to tell a
 * program why.
 */
function deniedBefore({ entries }: Transcript, runId: string): string[] {
  const last = entries.findLast((entry) => entry.type === 'input' && entry.runId !== runId);
  const lastRunId = last?.type === 'input' ? last.runId : undefined;
  const denied = entries.flatMap((entry) =>
    entry.type === 'tool_result' && entry.outcome === 'denied' && entry.runId === lastRunId
      ? [`- ${entry.tool}: ${entry.output}`]
      : [],
  );
  if (denied.length === 0) return [];
  const lead = 'In your last turn these calls were not allowed and did not run:';
  return [[lead, ...denied.slice(-DENIALS_TOLD)].join('\n')];
}

const DENIALS_TOLD = 10;

/** For work that was cut off after it had been told. */
function resumption({ entries, pending }: Transcript, runId: string): string {
  const unknown = entries.filter(
    (entry): entry is Extract<TranscriptEntry, { type: 'tool_result' }> =>
      entry.type === 'tool_result' && entry.runId === runId && entry.outcome === 'unknown',
  );
  const calls = [...unknown.map(({ tool }) => tool), ...pending.map(({ tool }) => tool)];
  const told =
    calls.length === 0
      ? ''
      : ` The outcome of these calls is unknown: ${calls.join(', ')}. They may have happened in full, in part or not at all: look before you do one again.`;
  return `Your work on this was cut off by a restart. Go on with it from where it is; what was asked is repeated below.${told}`;
}

function isCommand(blocks: readonly ContentBlock[], commands: ReadonlySet<string>): boolean {
  const [block] = blocks;
  if (blocks.length !== 1 || block?.type !== 'text') return false;
  const [, name] = /^\/(\S+)/.exec(block.text) ?? [];
  return name !== undefined && commands.has(name);
}
