import type { Message } from '@stoa/protocol';
import { isTemporary } from './failures.js';

interface ReadAgainPorts {
  readonly has: (messageId: string) => boolean;
  readonly get: (messageId: string) => Promise<Message>;
  readonly take: (message: Message) => void;
}

/** Reads messages again that have changed: each once at a time, and once more if it changed meanwhile. */
export class ReadAgain {
  /** Those that are being read; `true` when they have changed since. */
  private readonly reading = new Map<string, boolean>();
  /** Those that nobody answered for. */
  private readonly missed = new Set<string>();

  constructor(private readonly ports: ReadAgainPorts) {}

  async read(messageId: string): Promise<void> {
    if (this.reading.has(messageId)) {
      this.reading.set(messageId, true);
      return;
    }
    if (!this.ports.has(messageId)) return;
    this.reading.set(messageId, false);
    try {
      this.ports.take(await this.ports.get(messageId));
    } catch (error) {
      if (isTemporary(error)) this.missed.add(messageId);
    }
    const hasChangedAgain = this.reading.get(messageId) === true;
    this.reading.delete(messageId);
    if (hasChangedAgain) await this.read(messageId);
  }

  readMissed(): void {
    const missed = [...this.missed];
    this.missed.clear();
    for (const messageId of missed) void this.read(messageId);
  }
}
