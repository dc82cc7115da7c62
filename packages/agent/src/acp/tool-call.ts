import type { ToolKind, ToolOutcome } from '@stoa/protocol';
import { LIMITS } from '@stoa/protocol';
import type { Scrub } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { cutText } from '../tools/cut-text.js';
import { inputHash } from '../tools/input-hash.js';
import { unifiedDiff } from '../tools/text-diff.js';
import { isDiff, isText, type ToolCallReport } from './session-updates.js';

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  search: 'search',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'execute',
  fetch: 'fetch',
};

/**
 * A tool call of an agent program, assembled from its reports.
 *
 *   forming ──journaled──▶ announced ──it runs, or may──▶ started ──▶ settled
 *                              └──denied──▶ settled
 *
 * A request for permission fixes its description: later reports change only its status and output.
 */
export class ToolCall {
  isStarted = false;
  isSettled = false;
  startedAt = 0;
  #report: ToolCallReport;
  /** The description at the request for permission; undefined before. */
  #asked: ToolCallReport | undefined;
  #announced:
    | {
        readonly callId: string;
        readonly tool: string;
        readonly name: string | undefined;
        readonly hash: string;
      }
    | undefined;

  constructor(report: ToolCallReport) {
    this.#report = report;
  }

  /** Adds a report, which contains only changes: empty fields keep their values. */
  add(report: ToolCallReport): void {
    const known = this.#report;
    const changes = Object.entries(report).filter(
      ([name, value]) => !isEmpty(value) || isEmpty(known[name as keyof ToolCallReport]),
    );
    this.#report = { ...this.#report, ...(Object.fromEntries(changes) as Partial<ToolCallReport>) };
  }

  /** Fixes its id and name. */
  announce(callId: string): void {
    this.#announced = { callId, tool: this.tool, name: this.#name, hash: this.hash };
  }

  /** Fixes its description for a decision. */
  fixDescription(): void {
    this.#asked = this.#report;
  }

  get isAsked(): boolean {
    return this.#asked !== undefined;
  }

  /** A new call that the program reports under the same id. */
  repeated(report: ToolCallReport): ToolCall {
    const call = new ToolCall({ ...this.#report, status: 'pending' });
    call.add(report);
    return call;
  }

  /** Undefined before it is announced, because the id depends on the input. */
  get callId(): string | undefined {
    return this.#announced?.callId;
  }

  /** The id of the question to people. It changes with the arguments, which may differ from the announced ones. */
  get questionId(): string {
    const { callId = '', hash = '' } = this.#announced ?? {};
    const now = this.hash;
    return now === hash ? callId : `${callId}_${now.slice(0, HASH_CHARS)}`;
  }

  get status(): NonNullable<ToolCallReport['status']> {
    return this.#report.status ?? 'pending';
  }

  get tool(): string {
    if (this.#announced) return this.#announced.tool;
    const { kind } = this.#description;
    return oneLine(this.#name ?? kind ?? 'tool', LIMITS.titleChars) || 'tool';
  }

  /** All names that the program gives its tool, now and at the announcement. */
  get names(): string[] {
    const { name, _meta } = this.#description;
    const given = [name, _meta?.toolName, _meta?.claudeCode?.toolName, this.#announced?.name];
    return [...new Set(given.filter((one) => typeof one === 'string' && one !== ''))] as string[];
  }

  get isNamed(): boolean {
    return this.#name !== undefined;
  }

  get #description(): ToolCallReport {
    return this.#asked ?? this.#report;
  }

  get #name(): string | undefined {
    const { name, _meta } = this.#description;
    return name ?? _meta?.toolName ?? _meta?.claudeCode?.toolName;
  }

  get kind(): ToolKind {
    const { kind } = this.#description;
    return (typeof kind === 'string' ? KINDS[kind] : undefined) ?? 'other';
  }

  get title(): string {
    return oneLine(this.#description.title ?? '', LIMITS.titleChars) || this.tool;
  }

  /** The exact arguments; if the program does not report them, the rest of the description. */
  get input(): JsonValue {
    const { rawInput } = this.#description;
    if (rawInput !== undefined && rawInput !== null) return rawInput;
    const { paths, text } = this;
    return {
      title: this.title,
      ...(paths.length === 0 ? {} : { paths }),
      ...(text === '' ? {} : { text }),
    };
  }

  /** Covers the whole description, which an approval is bound to. */
  get hash(): string {
    const { name, _meta, rawInput, title, kind, locations, content } = this.#description;
    const names = [name, _meta?.toolName, _meta?.claudeCode?.toolName];
    return inputHash({ names, rawInput, title, kind, locations, content });
  }

  /** The paths that the program reports beside the arguments. */
  get paths(): string[] {
    const { locations, content } = this.#description;
    const paths = new Set((locations ?? []).map(({ path }) => path));
    for (const part of content ?? []) if (isDiff(part)) paths.add(part.path);
    return [...paths];
  }

  get rawInput(): JsonValue | undefined {
    return this.#description.rawInput;
  }

  get hasDiff(): boolean {
    return (this.#description.content ?? []).some(isDiff);
  }

  /** The text of the description. Some programs report their command only here. */
  get text(): string {
    return (this.#description.content ?? []).flatMap((part) => textOf(part) ?? []).join('\n');
  }

  /** The diffs and the text, for reviewers. */
  get detail(): string | undefined {
    const diffs = (this.#description.content ?? [])
      .filter(isDiff)
      .map(({ path, oldText, newText }) => unifiedDiff(path, oldText ?? undefined, newText));
    const { text } = this;
    const parts = text === '' ? diffs : [...diffs, text];
    return parts.length === 0 ? undefined : parts.join('\n');
  }

  /** A note about what the program did not describe; undefined if the description is complete. */
  get undescribed(): string | undefined {
    const { rawInput, locations, content = [] } = this.#description;
    const hidden = (content ?? []).filter((part) => !isDiff(part) && textOf(part) === undefined);
    if (hidden.length > 0) {
      const types = [...new Set(hidden.map(contentType))].join(', ');
      return `A part of this call cannot be shown here: ${types}.`;
    }
    const hasArguments =
      rawInput !== undefined && rawInput !== null && (this.isNamed || !isEmpty(rawInput));
    if (hasArguments || !isEmpty(locations) || !isEmpty(content)) return undefined;
    return 'The agent does not describe this call: only its title is known.';
  }

  get outcome(): ToolOutcome {
    return this.status === 'failed' ? 'error' : 'ok';
  }

  /** Removes secrets before it shortens the text: a cut secret would not be found. */
  outputFor(scrub: Scrub): string {
    const { content, rawOutput } = this.#report;
    const parts = (content ?? []).flatMap((part) => {
      if (isDiff(part)) return [unifiedDiff(part.path, part.oldText ?? undefined, part.newText)];
      const inner = (part as { content?: { readonly type: string } }).content;
      if (part.type !== 'content' || inner === undefined) return [];
      return [isText(inner) ? inner.text : `[${inner.type}]`];
    });
    const text = parts.length > 0 ? parts.join('\n') : outputText(rawOutput);
    return cutText(scrub(text.toWellFormed().replaceAll('\0', '')), LIMITS.toolOutputChars);
  }
}

const HASH_CHARS = 20;

type Content = NonNullable<ToolCallReport['content']>[number];

function textOf(part: Content): string | undefined {
  const inner = (part as { content?: { readonly type: string } }).content;
  return part.type === 'content' && inner && isText(inner) ? inner.text : undefined;
}

function contentType(part: Content): string {
  const inner = (part as { content?: { readonly type?: unknown } }).content;
  return part.type === 'content' && typeof inner?.type === 'string' ? inner.type : part.type;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Replaces input that is too large by its size. It is never shortened, because a part would be another input. */
export function boundedInput(input: JsonValue): JsonValue {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  return bytes <= LIMITS.toolInputBytes ? input : { leftOut: `${String(bytes)} bytes` };
}

function outputText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function oneLine(text: string, chars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1).toWellFormed()}…`;
}
