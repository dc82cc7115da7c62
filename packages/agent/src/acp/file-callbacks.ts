import { RequestError } from '@agentclientprotocol/sdk';
import type { RunContext } from '@stoa/core';
import { scrubJson } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { readTextFile, writeTextFile } from '../tools/files/text-file.js';
import { inputHash } from '../tools/input-hash.js';
import type { LocatedPath } from '../tools/paths.js';
import { unifiedDiff } from '../tools/text-diff.js';
import { ToolFailure, toToolFailure } from '../tools/tool-failure.js';
import type { ReadFileRequest, WriteFileRequest } from './answers.js';
import type { CallPermissions } from './call-permissions.js';
import type { CallIds } from './turn-journal.js';

export interface FilePorts {
  readonly run: RunContext;
  readonly permissions: CallPermissions;
  readonly ids: CallIds;
  /** Whether a running call has permission to read or edit this file. */
  readonly isCovered: (file: LocatedPath, access: 'read' | 'edit') => boolean;
  readonly scrub: (text: string) => string;
}

/** Reads and writes files for an agent program, with the checks of Stoa's own file tools. */
export class FileCallbacks {
  constructor(private readonly ports: FilePorts) {}

  async read({ path, line, limit }: ReadFileRequest): Promise<{ content: string }> {
    const { paths, file } = await this.#locate(path);
    await this.#permit('read', file, 'read_text_file', { path });
    const found = await asRequestError(path, () => readTextFile(paths, file));
    if (!found) throw RequestError.resourceNotFound(path);
    if (line === undefined && limit === undefined) return { content: found.text };
    const lines = found.text.split('\n');
    const first = Math.max(0, (line ?? 1) - 1);
    const last = limit === undefined ? lines.length : first + Math.max(0, limit);
    return { content: lines.slice(first, last).join('\n') };
  }

  async write({ path, content }: WriteFileRequest): Promise<void> {
    const { paths, file } = await this.#locate(path);
    if (this.ports.isCovered(file, 'edit')) {
      await asRequestError(path, () => writeTextFile(paths, file, content));
      return;
    }
    await this.#writeUncovered(file, { path, content });
  }

  /** No reported call covers the write, so it is journaled as its own call. */
  async #writeUncovered(
    file: LocatedPath,
    input: { path: string; content: string },
  ): Promise<void> {
    const { journal } = this.ports.run;
    const tool = 'write_text_file';
    const { callId, approvalId } = await this.#permit('edit', file, tool, input);
    const { scrub } = this.ports;
    const title = scrub(`Write ${file.given}`);
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
      const paths = await this.ports.permissions.guard;
      await asRequestError(input.path, () => writeTextFile(paths, file, input.content));
    } catch (error) {
      await settle('error', error instanceof Error ? error.message : String(error));
      throw error;
    }
    await settle('ok', `Wrote ${Buffer.byteLength(input.content)} bytes to ${input.path}`);
  }

  async #locate(path: string) {
    const paths = await this.ports.permissions.guard;
    return { paths, file: await asRequestError(path, () => paths.locate(path)) };
  }

  async #permit(
    kind: 'read' | 'edit',
    file: LocatedPath,
    tool: string,
    input: JsonValue & { readonly path: string; readonly content?: string },
  ): Promise<{ readonly callId: string; readonly approvalId?: string }> {
    const callId = this.ports.ids.next(tool, inputHash(input));
    // The directory of the daemon is refused, even if a running call covers it.
    if (kind === 'read' && file.refusal === undefined && this.ports.isCovered(file, kind)) {
      return { callId };
    }
    const detail = kind === 'edit' ? await this.#diff(file, input.content ?? '') : undefined;
    const verdict = await this.ports.permissions.decide({
      callId,
      tool,
      isNamed: true,
      title: `${kind === 'edit' ? 'Write' : 'Read'} ${file.given}`,
      input,
      hash: inputHash(input),
      detail,
      undescribed: undefined,
      subjects: { kind, subjects: [{ type: 'path', path: file.given }], possible: [] },
    });
    if (!verdict.isAllowed) throw RequestError.internalError(undefined, verdict.reason);
    const { approvalId } = verdict;
    return approvalId === undefined ? { callId } : { callId, approvalId };
  }

  async #diff(file: LocatedPath, content: string): Promise<string | undefined> {
    if (file.refusal !== undefined) return undefined;
    try {
      const before = await readTextFile(await this.ports.permissions.guard, file);
      return unifiedDiff(file.given, before?.text, content);
    } catch {
      // A file that is not text has no diff but can be replaced.
      return undefined;
    }
  }
}

async function asRequestError<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof ToolFailure ? error : toToolFailure(error, path);
    throw RequestError.internalError(undefined, failure.message);
  }
}
