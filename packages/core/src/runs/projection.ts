import type { TerminalRunStatus, Usage } from '@stoa/protocol';
import {
  insertModelCall,
  insertRun,
  setContextSeq,
  setRunEnded,
  setRunOutput,
  setRunResumed,
  setRunStarted,
  type Tx,
} from '@stoa/store';
import { holdReferences } from '../assets/content.js';
import type { Position } from '../kernel/entry.js';
import { type EventOf, logOnly, type Projections } from '../kernel/module.js';

function* countReported(
  position: Position,
  event: EventOf<'model_message' | 'usage_reported'>,
): Tx<void> {
  if (event.data.usage) yield* countUsage(position, event.data, event.data.usage);
}

function* endRun(position: Position, event: EventOf<TerminalRunStatus>): Tx<void> {
  const { seq, at } = position;
  yield* setRunEnded.run({ runId: event.data.runId, status: event.type, at, seq });
}

/** What the events of runs do to their tables. */
export const RUN_EVENTS: Projections = {
  *queued(position, event) {
    const { topicId, seq, at } = position;
    const { runId, kind, rule, priority, origin } = event.data;
    const channelId = origin.channelId ?? null;
    yield* insertRun.run({ topicId, seq, runId, kind, rule, priority, channelId, at });
  },
  *started(position, event) {
    const { at } = position;
    yield* setRunStarted.run({ runId: event.data.runId, at });
  },
  *resumed(_, event) {
    yield* setRunResumed.run({ runId: event.data.runId });
  },
  model_message: countReported,
  usage_reported: countReported,
  *upkeep_reported(position, event) {
    yield* countUsage(position, { ...event.data, origin: {} }, event.data.usage);
  },
  *output_emitted(position, event) {
    const { topicId, seq } = position;
    yield* setRunOutput.run({ runId: event.data.runId, seq });
    // The output keeps its assets even if the board that they come from changes.
    yield* holdReferences(topicId, event.data.runId, event.data.items);
  },
  completed: endRun,
  failed: endRun,
  cancelled: endRun,
  interrupted: endRun,
  *compacted(position) {
    const { topicId, seq } = position;
    yield* setContextSeq.run({ topicId, seq });
  },
  tool_call: logOnly,
  tool_result: logOnly,
  context_given: logOnly,
  note: logOnly,
  publishing: logOnly,
};

function* countUsage(
  { topicId, seq, at }: Position,
  by: {
    runId: string;
    origin: { channelId?: string | undefined };
    provider?: string | undefined;
    model?: string | undefined;
  },
  usage: Usage,
): Tx<void> {
  const { modelCalls, inputTokens, cachedInputTokens, outputTokens, cost } = usage;
  yield* insertModelCall.run({
    topicId,
    seq,
    at,
    runId: by.runId,
    channelId: by.origin.channelId ?? null,
    provider: by.provider ?? null,
    model: by.model ?? null,
    modelCalls,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    cost: cost ?? null,
  });
}
