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
 * A tool call of an agent program, put together from what it reports of it.
 *
 *   forming ──told to the journal──▶ announced ──it runs, or may──▶ started ──▶ settled
 *                                        └──denied──▶ settled
 *
 * What it does is fixed when permission for it is asked: later reports only tell what comes of it.
 */
export class ToolCall {
  isStarted = false;
  isSettled = false;
  approvalId: string | undefined;
  startedAt = 0;
  #report: ToolCallReport;
  /** What was asked about; undefined as long as nothing was. */
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

  /** A report says only what changed. What it leaves empty is what was known before. */
  add(report: ToolCallReport): void {
    const known = this.#report;
    const news = Object.entries(report).filter(
      ([name, value]) => !isEmpty(value) || isEmpty(known[name as keyof ToolCallReport]),
    );
    this.#report = { ...this.#report, ...(Object.fromEntries(news) as Partial<ToolCallReport>) };
  }

  /** From here on it goes by this id, and by the name it has now. */
  announce(callId: string): void {
    this.#announced = { callId, tool: this.tool, name: this.#name, hash: this.hash };
  }

  /** People, or the rules, are asked about it as it is now. */
  fix(): void {
    this.#asked = this.#report;
  }

  get isAsked(): boolean {
    return this.#asked !== undefined;
  }

  /** Another call that is reported under the same id of the program. */
  again(report: ToolCallReport): ToolCall {
    const call = new ToolCall({ ...this.#report, status: 'pending' });
    call.add(report);
    return call;
  }

  /** Given when it is announced: only then is its input known. */
  get callId(): string | undefined {
    return this.#announced?.callId;
  }

  /**
   * What people are asked by: what they answer holds for these arguments. They may have become others
   * since it was announced, or when the work is taken up again after a restart.
   */
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
    const { kind } = this.#deed;
    return oneLine(this.#name ?? kind ?? 'tool', LIMITS.titleChars) || 'tool';
  }

  /** Every name that the program gives its tool, now and when it was announced. */
  get names(): string[] {
    const { name, _meta } = this.#deed;
    const given = [name, _meta?.toolName, _meta?.claudeCode?.toolName, this.#announced?.name];
    return [...new Set(given.filter((one) => typeof one === 'string' && one !== ''))] as string[];
  }

  /** Whether the program says which tool it is. */
  get isNamed(): boolean {
    return this.#name !== undefined;
  }

  get #deed(): ToolCallReport {
    return this.#asked ?? this.#report;
  }

  get #name(): string | undefined {
    const { name, _meta } = this.#deed;
    return name ?? _meta?.toolName ?? _meta?.claudeCode?.toolName;
  }

  get kind(): ToolKind {
    const { kind } = this.#deed;
    return (typeof kind === 'string' ? KINDS[kind] : undefined) ?? 'other';
  }

  get title(): string {
    return oneLine(this.#deed.title ?? '', LIMITS.titleChars) || this.tool;
  }

  /** The exact arguments; where the program does not say them, what else it says of the call. */
  get input(): JsonValue {
    const { rawInput } = this.#deed;
    if (rawInput !== undefined && rawInput !== null) return rawInput;
    const { paths, text } = this;
    return {
      title: this.title,
      ...(paths.length === 0 ? {} : { paths }),
      ...(text === '' ? {} : { text }),
    };
  }

  /** Everything that describes it: what people allow is this, and nothing that differs in any of it. */
  get hash(): string {
    const { name, _meta, rawInput, title, kind, locations, content } = this.#deed;
    const names = [name, _meta?.toolName, _meta?.claudeCode?.toolName];
    return inputHash({ names, rawInput, title, kind, locations, content });
  }

  /** The paths that it says beside its arguments. */
  get paths(): string[] {
    const { locations, content } = this.#deed;
    const paths = new Set((locations ?? []).map(({ path }) => path));
    for (const part of content ?? []) if (isDiff(part)) paths.add(part.path);
    return [...paths];
  }

  get rawInput(): JsonValue | undefined {
    return this.#deed.rawInput;
  }

  get hasDiff(): boolean {
    return (this.#deed.content ?? []).some(isDiff);
  }

  /** Text that it is described with. Some programs say their command only here. */
  get text(): string {
    return (this.#deed.content ?? []).flatMap((part) => textOf(part) ?? []).join('\n');
  }

  /** What a reviewer should see beside the arguments: its diffs and its text. */
  get detail(): string | undefined {
    const diffs = (this.#deed.content ?? [])
      .filter(isDiff)
      .map(({ path, oldText, newText }) => unifiedDiff(path, oldText ?? undefined, newText));
    const { text } = this;
    const parts = text === '' ? diffs : [...diffs, text];
    return parts.length === 0 ? undefined : parts.join('\n');
  }

  /** What the program did not describe; undefined when it described all. Approvals show it and suggest no rule. */
  get lack(): string | undefined {
    const { rawInput, locations, content = [] } = this.#deed;
    const hidden = (content ?? []).filter((part) => !isDiff(part) && textOf(part) === undefined);
    if (hidden.length > 0) {
      const types = [...new Set(hidden.map(contentType))].join(', ');
      return `A part of this call cannot be shown here: ${types}.`;
    }
    const isArgued =
      rawInput !== undefined && rawInput !== null && (this.isNamed || !isEmpty(rawInput));
    if (isArgued || !isEmpty(locations) || !isEmpty(content)) return undefined;
    return 'The agent does not say what this call does: only its title is known.';
  }

  get outcome(): ToolOutcome {
    return this.status === 'failed' ? 'error' : 'ok';
  }

  /** Scrubbed before it is cut: a part of a secret would not be found any more. */
  outputFor(scrub: Scrub): string {
    const { content, rawOutput } = this.#report;
    const parts = (content ?? []).flatMap((part) => {
      if (isDiff(part)) return [unifiedDiff(part.path, part.oldText ?? undefined, part.newText)];
      const inner = (part as { content?: { readonly type: string } }).content;
      if (part.type !== 'content' || inner === undefined) return [];
      return [isText(inner) ? inner.text : `[${inner.type}]`];
    });
    const text = parts.length > 0 ? parts.join('\n') : wordsOf(rawOutput);
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

/** What is too long to keep is said to be missing; it is never cut, for a part would be another input. */
export function boundedInput(input: JsonValue): JsonValue {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  return bytes <= LIMITS.toolInputBytes ? input : { leftOut: `${String(bytes)} bytes` };
}

function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function oneLine(text: string, chars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1).toWellFormed()}…`;
}
