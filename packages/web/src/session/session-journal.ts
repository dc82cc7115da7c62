import type { Client } from '@stoa/client';
import type { Stamped } from '@stoa/protocol';
import { TERMINAL_RUN_STATUSES } from '@stoa/protocol/constants';
import { isTemporary } from '../data/failures.js';
import type { LiveHub, LiveSignal } from '../data/live-hub.js';
import { Watched } from '../data/watched.js';
import { WritingText } from '../data/writing-text.js';

/** What is shown of a journal. */
export interface JournalView {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly problem: string | undefined;
  /** In order, each once, from some position in the log to its end. */
  readonly events: readonly Stamped[];
  readonly hasOlder: boolean;
  /** What the run is writing and is not in a message yet. */
  readonly writing: string;
}

interface JournalPorts {
  readonly client: {
    readonly sessions: Pick<Client['sessions'], 'get'> & {
      readonly journal: Pick<Client['sessions']['journal'], 'pages'>;
    };
  };
  readonly live: Pick<LiveHub, 'listen'>;
}

/** How much of the log is read at once; most of it is journal. */
const STRETCH = 400;
const PAGE = 200;
/** Who leaves a busy session open for days sees the end of it; the rest can be read again. */
const MAX_EVENTS = 4_000;

/** The events that reading the journal returns, so that live events are filtered in the same way. */
const SHOWN: ReadonlySet<Stamped['type']> = new Set<Stamped['type']>([
  'accepted',
  'started',
  'resumed',
  'model_message',
  'tool_call',
  'tool_result',
  'approval_settled',
  'compacted',
  'note',
  'session_cleared',
  ...TERMINAL_RUN_STATUSES,
]);

const EMPTY: JournalView = {
  status: 'loading',
  problem: undefined,
  events: [],
  hasOlder: false,
  writing: '',
};

/** The journal of one session: the end of its log, and live events from then on. */
export class SessionJournal extends Watched<JournalView> {
  private readonly events = new Map<number, Stamped>();
  /** The log is read after this sequence. */
  private after = 0;
  private text = new WritingText();
  /** Counts the beginnings: what was asked for before the last one is dropped. */
  private round = 0;
  /** Whether nobody answered. */
  private isStale = false;

  constructor(
    readonly sessionId: string,
    private readonly ports: JournalPorts,
  ) {
    super(EMPTY);
  }

  protected listen(): () => void {
    const end = this.ports.live.listen(`session:${this.sessionId}`, (signal) => this.hear(signal));
    return () => {
      end();
      this.round += 1;
      this.text = new WritingText();
    };
  }

  /** To be called while there is a connection: reads what could not be read. */
  recover(): void {
    if (this.isStale && this.isWatched) void this.open();
  }

  async loadOlder(): Promise<void> {
    const { round } = this;
    const before = this.after;
    if (before === 0) return;
    const after = Math.max(0, before - STRETCH);
    this.after = after;
    try {
      await this.read(after, before, round);
    } catch (error) {
      // Still to be read: who asks again gets it.
      this.after = before;
      throw error;
    } finally {
      this.changeEvents();
    }
  }

  private hear(signal: LiveSignal): void {
    switch (signal.type) {
      case 'ready':
      case 'gap':
        void this.open();
        break;
      case 'ended':
        this.change({ status: 'failed', problem: signal.problem?.message });
        break;
      case 'item': {
        const { item } = signal;
        const hasChanged = this.text.take(item);
        if ('seq' in item && SHOWN.has(item.type)) this.add(item);
        else if (hasChanged) this.change({ writing: this.text.writing?.text ?? '' });
        break;
      }
    }
  }

  private async open(): Promise<void> {
    this.round += 1;
    const { round } = this;
    this.isStale = false;
    try {
      const { headSeq } = await this.ports.client.sessions.get(this.sessionId);
      if (round !== this.round) return;
      this.after = Math.max(0, headSeq - STRETCH);
      await this.read(this.after, Infinity, round);
      if (round === this.round) this.changeEvents({ status: 'ready', problem: undefined });
    } catch (error) {
      if (round !== this.round) return;
      this.isStale = isTemporary(error);
      this.change({ status: 'failed', problem: (error as Error).message });
    }
  }

  private async read(from: number, before: number, round: number): Promise<void> {
    if (from >= before - 1) return;
    const query = { after: from, limit: PAGE };
    for await (const page of this.ports.client.sessions.journal.pages(this.sessionId, query)) {
      if (round !== this.round) return;
      for (const event of page.entries) this.events.set(event.seq, event);
      if ((page.nextAfter ?? before) >= before - 1) return;
    }
  }

  private add(event: Stamped): void {
    this.events.set(event.seq, event);
    if (this.events.size > MAX_EVENTS) {
      this.after = [...this.events.keys()].sort((one, other) => one - other).at(-STRETCH - 1) ?? 0;
      for (const seq of this.events.keys()) if (seq <= this.after) this.events.delete(seq);
    }
    this.changeEvents();
  }

  private changeEvents(change: Partial<JournalView> = {}): void {
    this.change({
      events: [...this.events.values()]
        .filter(({ seq }) => seq > this.after)
        .sort((one, other) => one.seq - other.seq),
      hasOlder: this.after > 0,
      writing: this.text.writing?.text ?? '',
      ...change,
    });
  }
}
