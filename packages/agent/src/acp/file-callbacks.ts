import { RequestError } from '@agentclientprotocol/sdk';
import type { RunContext } from '@stoa/core';
import { scrubJson } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { readTextFile, writeTextFile } from '../tools/files/text-file.js';
import { inputHash } from '../tools/input-hash.js';
import type { Place } from '../tools/paths.js';
import { unifiedDiff } from '../tools/text-diff.js';
import { inWords, ToolFailure } from '../tools/tool-failure.js';
import type { ReadFileRequest, WriteFileRequest } from './answers.js';
import type { CallDesk } from './call-desk.js';
import type { CallIds } from './call-ids.js';

export interface FilePorts {
  readonly run: RunContext;
  readonly desk: CallDesk;
  readonly ids: () => CallIds;
  /** Whether a call under way was allowed to touch this place. */
  readonly isCovered: (place: Place, does: 'read' | 'edit') => boolean;
  readonly scrub: (text: string) => string;
}

/** Files that an agent program reads and writes through the daemon, as the tools of Stoa do it. */
export class FileCallbacks {
  constructor(private readonly ports: FilePorts) {}

  async read({ path, line, limit }: ReadFileRequest): Promise<{ content: string }> {
    const { paths, place } = await this.#locate(path);
    await this.#clear('read', place, 'read_text_file', { path });
    const file = await inRequestWords(path, () => readTextFile(paths, place));
    if (!file) throw RequestError.resourceNotFound(path);
    if (line === undefined && limit === undefined) return { content: file.text };
    const lines = file.text.split('\n');
    const first = Math.max(0, (line ?? 1) - 1);
    const last = limit === undefined ? lines.length : first + Math.max(0, limit);
    return { content: lines.slice(first, last).join('\n') };
  }

  async write({ path, content }: WriteFileRequest): Promise<void> {
    const { paths, place } = await this.#locate(path);
    if (this.ports.isCovered(place, 'edit')) {
      await inRequestWords(path, () => writeTextFile(paths, place, content));
      return;
    }
    await this.#writeUncovered(place, { path, content });
  }

  /** No call that was reported covers it, so it is one of its own. */
  async #writeUncovered(place: Place, input: { path: string; content: string }): Promise<void> {
    const { journal } = this.ports.run;
    const tool = 'write_text_file';
    const { callId, approvalId } = await this.#clear('edit', place, tool, input);
    const { scrub } = this.ports;
    const title = scrub(`Write ${place.given}`);
    await journal.toolCall({
      callId,
      tool,
      kind: 'edit',
      title,
      input: scrubJson(scrub, input),
      inputHash: inputHash(input),
      ...(approvalId === undefined ? {} : { approvalId }),
    });
    const settle = (outcome: 'ok' | 'error', output: string): Promise<void> =>
      journal.toolResult({ callId, tool, outcome, output: scrub(output) });
    try {
      const paths = await this.ports.desk.guard;
      await inRequestWords(input.path, () => writeTextFile(paths, place, input.content));
    } catch (error) {
      await settle('error', error instanceof Error ? error.message : String(error));
      throw error;
    }
    await settle('ok', `Wrote ${Buffer.byteLength(input.content)} bytes to ${input.path}`);
  }

  async #locate(path: string) {
    const paths = await this.ports.desk.guard;
    return { paths, place: await inRequestWords(path, () => paths.locate(path)) };
  }

  async #clear(
    kind: 'read' | 'edit',
    place: Place,
    tool: string,
    input: JsonValue & { readonly path: string; readonly content?: string },
  ): Promise<{ readonly callId: string; readonly approvalId?: string }> {
    const callId = this.ports.ids().next(tool, inputHash(input));
    // What the directory of the daemon holds is refused whatever was allowed before.
    if (kind === 'read' && place.refusal === undefined && this.ports.isCovered(place, kind)) {
      return { callId };
    }
    const detail = kind === 'edit' ? await this.#diff(place, input.content ?? '') : undefined;
    const verdict = await this.ports.desk.decide({
      callId,
      tool,
      isNamed: true,
      title: `${kind === 'edit' ? 'Write' : 'Read'} ${place.given}`,
      input,
      hash: inputHash(input),
      detail,
      lack: undefined,
      touches: { kind, subjects: [{ type: 'path', path: place.given }], possible: [] },
    });
    if (!verdict.isAllowed) throw RequestError.internalError(undefined, verdict.words);
    const { approvalId } = verdict;
    return approvalId === undefined ? { callId } : { callId, approvalId };
  }

  async #diff(place: Place, content: string): Promise<string | undefined> {
    if (place.refusal !== undefined) return undefined;
    try {
      const before = await readTextFile(await this.ports.desk.guard, place);
      return unifiedDiff(place.given, before?.text, content);
    } catch {
      // What cannot be shown as text can still be replaced.
      return undefined;
    }
  }
}

async function inRequestWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof ToolFailure ? error : inWords(error, path);
    throw RequestError.internalError(undefined, failure.message);
  }
}
