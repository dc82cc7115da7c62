const TEXT = 0x1;
const PING = 0x9;

/** What a chunk of a WebSocket completed. */
export interface Completed {
  readonly texts: number;
  readonly pings: number;
}

/** Counts the frames a server sends without looking into them: the readers must not be the limit. */
export class FrameCounter {
  #begun: Buffer = Buffer.alloc(0);
  #missing = 0;
  #kind = 0;

  push(chunk: Buffer): Completed {
    const bytes = this.#begun.length > 0 ? Buffer.concat([this.#begun, chunk]) : chunk;
    const counts = { texts: 0, pings: 0 };
    let at = 0;
    for (;;) {
      if (this.#kind === 0) {
        const header = headerLength(bytes, at);
        if (at + header > bytes.length) break;
        this.#kind = (bytes[at] as number) & 0x0f;
        this.#missing = payloadLength(bytes, at);
        at += header;
      }
      const taken = Math.min(this.#missing, bytes.length - at);
      at += taken;
      this.#missing -= taken;
      if (this.#missing > 0) break;
      if (this.#kind === TEXT) counts.texts += 1;
      if (this.#kind === PING) counts.pings += 1;
      this.#kind = 0;
    }
    this.#begun = bytes.subarray(at);
    return counts;
  }
}

function headerLength(bytes: Buffer, at: number): number {
  const short = (bytes[at + 1] ?? 0) & 0x7f;
  return short === 127 ? 10 : short === 126 ? 4 : 2;
}

function payloadLength(bytes: Buffer, at: number): number {
  const short = (bytes[at + 1] as number) & 0x7f;
  if (short === 127) return Number(bytes.readBigUInt64BE(at + 2));
  return short === 126 ? bytes.readUInt16BE(at + 2) : short;
}
