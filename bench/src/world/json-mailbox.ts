import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { openDirectory } from './directory.js';
import type { Scope } from './scope.js';

interface MailboxMessage {
  readonly from: string;
  readonly text: string;
  readonly timestamp: string;
  readonly read: boolean;
}

/** As programs that keep mailboxes in files set it: patient, and not for ever. */
const LOCKING = {
  realpath: false,
  stale: 5_000,
  retries: { retries: 30, minTimeout: 5, maxTimeout: 100, randomize: true },
} as const;

/**
 * The peer of mailbox: a file per recipient that holds all messages as a JSON array. Sending and
 * receiving take its lock, read it, change it and write it again. What was read stays, marked. Nothing
 * is synced.
 */
export class JsonMailbox {
  private constructor(private readonly path: string) {}

  static open(scope: Scope): JsonMailbox {
    return new JsonMailbox(join(openDirectory(scope), 'recipient.json'));
  }

  /** Empties it, but for so many messages that were read. */
  async reset(backlog: number, text: string): Promise<void> {
    const messages = Array.from({ length: backlog }, () => ({ ...messageOf(text), read: true }));
    await this.#write(messages);
  }

  async send(text: string): Promise<void> {
    await this.#change((messages) => [...messages, messageOf(text)]);
  }

  async receive(): Promise<MailboxMessage[]> {
    let unread: MailboxMessage[] = [];
    await this.#change((messages) => {
      unread = messages.filter(({ read }) => !read);
      return messages.map((message) => ({ ...message, read: true }));
    });
    return unread;
  }

  /** Has the system write what it still owes, which the next sync of anybody would have to wait for. */
  async settle(): Promise<void> {
    const handle = await open(this.path);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async #change(change: (messages: MailboxMessage[]) => MailboxMessage[]): Promise<void> {
    const release = await lock(this.path, LOCKING);
    try {
      const text = await readFile(this.path, 'utf8');
      await this.#write(change(JSON.parse(text) as MailboxMessage[]));
    } finally {
      await release();
    }
  }

  async #write(messages: readonly MailboxMessage[]): Promise<void> {
    await writeFile(this.path, JSON.stringify(messages));
  }
}

const messageOf = (text: string): MailboxMessage => ({
  from: 'sender',
  text,
  timestamp: new Date().toISOString(),
  read: false,
});
