import type { Stamped } from '@stoa/protocol';
import { useCallback, useMemo, useState } from 'react';
import { client } from '../data/client.js';
import { isTemporary } from '../data/failures.js';
import { useTopic, useWhileLive } from '../data/live.js';
import { type Entry, isShown, storyOf } from './story.js';

/** Events of one request, and how many requests one asks for before they are shown. */
const PAGE = 200;
const PAGES_AT_ONCE = 5;
/** With this much to tell it is enough for now. */
const ENOUGH = 60;

/** A contiguous part of the log of a channel: all events that the timeline uses, from `from` on. */
interface Part {
  readonly events: readonly Stamped[];
  /** Everything after this sequence is known; undefined before anything was read. */
  readonly from: number | undefined;
}

interface Timeline {
  readonly entries: readonly Entry[];
  readonly isRead: boolean;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly problem: string | undefined;
  readonly loadOlder: () => void;
}

const EMPTY: Part = { events: [], from: undefined };

/** The log of a channel backwards, page by page, and from now on as it grows. */
export function useTimeline(channelId: string): Timeline {
  const topic = `channel:${channelId}`;
  const [part, setPart] = useState(EMPTY);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<Error>();

  const load = useCallback(
    async (upTo: number | undefined) => {
      setLoading(true);
      try {
        const end = upTo ?? (await client.topics.read(topic, { limit: 1 })).head;
        const read = await readBack(topic, end);
        setPart((known) => ({
          events: joined(known.events, read.events),
          from: Math.min(read.from, known.from ?? read.from),
        }));
        setProblem(undefined);
      } catch (error) {
        setProblem(error as Error);
      } finally {
        setLoading(false);
      }
    },
    [topic],
  );

  useTopic(topic, (signal) => {
    if (signal.type === 'ready') void load(undefined);
    else if (signal.type === 'gap') {
      setPart(EMPTY);
      void load(undefined);
    } else if (signal.type === 'item' && 'seq' in signal.item && isShown(signal.item)) {
      const { item } = signal;
      setPart((known) => ({ ...known, events: joined(known.events, [item]) }));
    }
  });

  useWhileLive(() => {
    if (isTemporary(problem) && !isLoading) void load(undefined);
  });

  const entries = useMemo(() => storyOf(part.events), [part.events]);
  const { from } = part;
  return {
    entries,
    isRead: from !== undefined,
    hasOlder: from !== undefined && from > 0,
    isLoading,
    problem: problem?.message,
    loadOlder: () => {
      if (from !== undefined && from > 0 && !isLoading) void load(from);
    },
  };
}

/** Back from `end`, until there is enough to tell or it has looked for long enough. */
async function readBack(topic: string, end: number): Promise<{ events: Stamped[]; from: number }> {
  const events: Stamped[] = [];
  let from = end;
  for (let page = 0; page < PAGES_AT_ONCE && from > 0 && events.length < ENOUGH; page++) {
    const upTo = from;
    from = Math.max(0, upTo - PAGE);
    // A page may end early because of its size.
    for (let after = from; after < upTo; ) {
      const { events: read } = await client.topics.read(topic, { after, limit: upTo - after });
      const last = read.at(-1);
      if (!last) break;
      events.push(...read.filter(isShown));
      after = last.seq;
    }
  }
  return { events, from };
}

/** In order, each once. */
function joined(known: readonly Stamped[], more: readonly Stamped[]): Stamped[] {
  const bySeq = new Map([...known, ...more].map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}
