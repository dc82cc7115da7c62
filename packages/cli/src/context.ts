import { type Client, StoaProblem } from '@stoa/client';
import { createNodeClient } from '@stoa/client/node';
import type { Surroundings } from './failure.js';
import type { Io } from './io.js';
import { type Located, type LocateFlags, locate } from './locate.js';
import { type Painter, painter, wantsColour } from './terminal/paint.js';
import { printableJson } from './terminal/printable.js';
import { type Column, table } from './terminal/table.js';

/** Options that every command takes. */
export interface GlobalFlags extends LocateFlags {
  readonly json?: boolean | undefined;
}

/** What a command works with. Nothing is looked up before it is asked for. */
export class Context {
  readonly paint: Painter;
  /** For what goes to standard error. */
  readonly errPaint: Painter;
  private found: Located | undefined;
  private opened: Client | undefined;
  /** Whether it is to find out who answers, also where nobody is expected. */
  private isProbing = false;

  constructor(
    readonly io: Io,
    readonly flags: GlobalFlags,
    readonly version: string,
  ) {
    this.paint = painter(wantsColour(io.outIsTerminal, io.env));
    this.errPaint = painter(wantsColour(io.errIsTerminal, io.env));
  }

  get located(): Located {
    if (!this.found) {
      this.found = locate(this.flags, this.io.env);
      for (const warning of this.found.warnings) this.say(`warning: ${warning}`);
    }
    return this.found;
  }

  /** To find out who answers, at another address or with another token than was found for the command. */
  at(change: Partial<Pick<Located, 'url' | 'token'>>): Context {
    const other = new Context(this.io, this.flags, this.version);
    const isSameUrl = change.url === undefined || change.url === this.located.url;
    other.found = {
      ...this.located,
      ...change,
      isCertain: this.located.isCertain && isSameUrl,
    };
    other.isProbing = true;
    return other;
  }

  get client(): Client {
    const { url, urlFrom, home, token, isCertain } = this.located;
    // Without a token nobody could be asked anything, and who listens there is not known.
    if (urlFrom === 'the default' && token === undefined && !this.isProbing) {
      throw new StoaProblem('daemon_unreachable', 503, `no daemon runs on ${home}`);
    }
    // A person waits for the answer: report a missing daemon immediately, but retry if a running one hesitates.
    this.opened ??= createNodeClient({
      baseUrl: url,
      token,
      retry: { whenRefused: false },
      proveDaemon: !isCertain,
    });
    return this.opened;
  }

  get surroundings(): Surroundings | undefined {
    const found = this.found;
    if (!found) return undefined;
    const { home, url, urlFrom, token, tokenFrom } = found;
    return { home, url, urlFrom, tokenFrom: token === undefined ? undefined : tokenFrom };
  }

  close(): void {
    this.opened?.close();
  }

  line(text: string): void {
    this.io.out(`${text}\n`);
  }

  /** For the person at the terminal, never for the script that reads the output. */
  say(text: string): void {
    this.io.err(`stoa: ${text}\n`);
  }

  /** That a list goes on, and the option that continues it. */
  more(before: string | number | undefined): void {
    if (before === undefined || this.flags.json || !this.io.errIsTerminal) return;
    this.say(`there are more: --before ${before}`);
  }

  json(value: unknown): void {
    this.line(printableJson(value, 2));
  }

  /** One JSON document, or what a person reads. */
  answer(value: unknown, text: () => string): void {
    if (this.flags.json) this.json(value);
    else this.line(text());
  }

  table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    return table(columns, rows, { width: this.io.columns, heading: this.paint.dim });
  }
}
