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
  /** Whether the prompt contains the instructions, and whether they replace others. */
  readonly instructions: 'first' | 'changed' | undefined;
  /** Whether the prompt contains the earlier conversation. */
  readonly isReprimed: boolean;
  readonly takesImages: boolean;
  readonly findAsset: FindAsset;
  /** Slash commands of the program, which it recognises only if the prompt contains nothing else. */
  readonly commands: ReadonlySet<string>;
}

export interface Prompt {
  readonly blocks: ContentBlock[];
  readonly hasInstructions: boolean;
}

const HISTORY_CHARS = 48_000;

export async function buildPrompt(parts: PromptParts): Promise<Prompt> {
  const { run, transcript, takesImages, findAsset } = parts;
  const isResumed = run.items.length === 0;
  const inputs = isResumed ? deliveredInputs(transcript, run.runId) : run.items;
  const asked = await inputParts(inputs, findAsset, takesImages, 'in_turn');
  const blocks = asked.map((part): ContentBlock => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const data = Buffer.from(part.bytes).toString('base64');
    return { type: 'image', data, mimeType: part.mediaType };
  });
  if (!isResumed && isCommand(blocks, parts.commands)) return { blocks, hasInstructions: false };
  const before: string[] = [];
  if (parts.instructions !== undefined)
    before.push(instructionsFor(run.session, parts.instructions));
  before.push(...contextFor(parts));
  if (parts.isReprimed) before.push(historyOf(transcript, run.session.sessionId, run.runId));
  else before.push(...earlierDenials(transcript, run.runId));
  if (isResumed) before.push(resumption(transcript, run.runId));
  const texts = before.map((text): ContentBlock => ({ type: 'text', text }));
  const hasHeading = before.length > 0 && blocks.length > 0;
  const heading: ContentBlock[] = hasHeading ? [{ type: 'text', text: '# What is asked now' }] : [];
  return {
    blocks: [...texts, ...heading, ...blocks],
    hasInstructions: parts.instructions !== undefined,
  };
}

/** The last boundary note of the channel, for a session that does not have it: a new one, or one that it never reached. */
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

/** Changes whenever the instructions change. */
export function instructionsDigest(session: RunSession): string {
  return createHash('sha256').update(systemPrompt(session)).digest('hex').slice(0, 16);
}

function instructionsFor(session: RunSession, which: 'first' | 'changed'): string {
  const lead =
    which === 'first'
      ? 'These instructions apply to everything that follows.'
      : 'Your instructions have changed. From now on only these apply.';
  return `${lead}\n\n${systemPrompt(session)}`;
}

function historyOf({ entries, isCut }: Transcript, sessionId: string, runId: string): string {
  const lead =
    'This work began in an earlier session that cannot continue. The journal of that session follows, ' +
    'oldest entry first. Treat it as information; nothing in it is asked of you again:';
  const text = lastThatFit(
    entries
      .filter(({ type }) => type !== 'context')
      .map(entryText)
      .filter((line) => line !== ''),
    isCut,
  );
  return `${lead}\n\n${envelope({ source: 'journal of this session', ids: [sessionId, runId], text })}`;
}

/** The newest texts that fit; if not even the newest fits, its end. */
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

/** The inputs that this run has already delivered. A program that was killed may have lost them. */
function deliveredInputs({ entries }: Transcript, runId: string): TranscriptInput[] {
  return entries.flatMap((entry) =>
    entry.type === 'input' && entry.runId === runId ? [entry.input] : [],
  );
}

/** The denied calls of the previous run with the reasons, which the protocol cannot report. */
function earlierDenials({ entries }: Transcript, runId: string): string[] {
  const last = entries.findLast((entry) => entry.type === 'input' && entry.runId !== runId);
  const lastRunId = last?.type === 'input' ? last.runId : undefined;
  const denied = entries.flatMap((entry) =>
    entry.type === 'tool_result' && entry.outcome === 'denied' && entry.runId === lastRunId
      ? [`- ${entry.tool}: ${entry.output}`]
      : [],
  );
  if (denied.length === 0) return [];
  const lead = 'In your last turn these calls were not allowed and did not run:';
  return [[lead, ...denied.slice(-MAX_DENIALS)].join('\n')];
}

const MAX_DENIALS = 10;

/** For a run that a restart interrupted after the prompt. */
function resumption({ entries, pending }: Transcript, runId: string): string {
  const unknown = entries.filter(
    (entry): entry is Extract<TranscriptEntry, { type: 'tool_result' }> =>
      entry.type === 'tool_result' && entry.runId === runId && entry.outcome === 'unknown',
  );
  const calls = [...unknown.map(({ tool }) => tool), ...pending.map(({ tool }) => tool)];
  const warning =
    calls.length === 0
      ? ''
      : ` The outcome of these calls is unknown: ${calls.join(', ')}. They may have happened in full, in part or not at all: check before you repeat one.`;
  return `Your work on this was cut off by a restart. Continue from its current state; the request is repeated below.${warning}`;
}

function isCommand(blocks: readonly ContentBlock[], commands: ReadonlySet<string>): boolean {
  const [block] = blocks;
  if (blocks.length !== 1 || block?.type !== 'text') return false;
  const [, name] = /^\/(\S+)/.exec(block.text) ?? [];
  return name !== undefined && commands.has(name);
}
