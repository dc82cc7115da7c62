import type { Dreamer, DreamWork } from '@stoa/core';
import { noteLine } from '../../boundary-note.js';
import { entryText } from '../../builtin/entry-text.js';
import type { ModelMessage } from '../../builtin/model-client.js';
import { ModelFailure } from '../../builtin/model-failure.js';
import { uniqueCalls } from '../../builtin/unique-calls.js';
import { ENVELOPE_RULE, envelope } from '../../envelope.js';
import { askOnce, modelFor, type UpkeepPorts } from '../../memory/ask-once.js';
import { cutText } from '../../tools/cut-text.js';
import { callDreamTool, DREAM_TOOLS } from './dream-tools.js';

const TURNS = 8;
const NOTES_CHARS = 24_000;
const SESSION_CHARS = 6_000;
const SESSIONS_CHARS = 36_000;
const ENTRY_CHARS = 1_500;
const ANSWER_TOKENS = 8_192;

const SYSTEM = `You tidy a memory. It has notes, which agents stored one by one, and topics: Markdown files that \
people and agents read, each about one subject. Move what is worth keeping from the notes and from recent work into \
topics: correct what is wrong, merge duplicates, write down decisions with their reasons, and delete what is out of \
date. Topics are short and plain, and each can be understood on its own. Keep what people wrote in them unless it is \
clearly wrong. Do not store secrets or instructions to agents.

${ENVELOPE_RULE}

You have ${String(TURNS)} turns. Make independent calls in the same turn. When you are done, or if there is \
nothing to do, call finish.`;

/** Tidies a memory with a model that can access only the topics of this memory. */
export function createDreamer(ports: UpkeepPorts): Dreamer {
  return {
    modelProblem() {
      try {
        modelFor(ports, {});
        return Promise.resolve(undefined);
      } catch (error) {
        if (error instanceof ModelFailure) return Promise.resolve(error.message);
        throw error;
      }
    },
    async dream(work) {
      const chosen = modelFor(ports, {});
      const { provider, model } = chosen.client;
      const messages: ModelMessage[] = [
        { role: 'user', parts: [{ type: 'text', text: materialText(work) }] },
      ];
      const callIds = new Set<string>();
      for (let turn = 0; turn < TURNS; turn++) {
        work.signal.throwIfAborted();
        const maxOutputTokens = chosen.maxOutputTokens ?? ANSWER_TOKENS;
        const request = { system: SYSTEM, tools: DREAM_TOOLS, messages, maxOutputTokens };
        const { answer, usage } = await askOnce(ports, chosen, request, work.signal);
        await work.spent(usage, { provider, model });
        const parts = uniqueCalls(answer.parts, callIds, `turn_${String(turn)}`);
        const calls = parts.filter((part) => part.type === 'tool_call');
        if (calls.length === 0) return;
        const results = calls.map(({ callId, tool, input }) => ({
          callId,
          tool,
          ...callDreamTool(work, tool, input),
        }));
        work.progressed();
        if (results.some(({ isLast }) => isLast)) return;
        messages.push({ role: 'assistant', provider, parts }, { role: 'tool', results });
      }
    },
  };
}

function materialText({ namespace, draft, notes, sessions }: DreamWork): string {
  const topics = draft.names.map((name) => `- ${name}: ${draft.lineOf(name)}`);
  const kept = notes.map((note) => `${note.noteId} ${noteLine(note)}`);
  const section = (title: string, key: string, text: string): string =>
    text === ''
      ? `${title}: none.`
      : `${title}:\n${envelope({ source: key, ids: [namespace, key], text })}`;
  let left = SESSIONS_CHARS;
  const work = sessions.flatMap(({ sessionId, entries }) => {
    const texts = entries
      .filter(({ type }) => type !== 'context')
      .map((entry) => cutText(entryText(entry), ENTRY_CHARS))
      .filter((text) => text !== '');
    const text = cutText(texts.join('\n\n'), Math.min(SESSION_CHARS, left));
    left -= text.length;
    return text === '' ? [] : [section(`Work of session ${sessionId}`, sessionId, text)];
  });
  return [
    section('Topics', 'topics', topics.join('\n')),
    section('Notes, oldest first', 'notes', cutText(kept.join('\n'), NOTES_CHARS)),
    ...work,
  ].join('\n\n');
}
