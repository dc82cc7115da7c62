import { asObjects, asString, isArray, isObject, type JsonObject } from './json.js';
import type { RefusalReply } from './reply.js';
import { signatureOf } from './signature.js';
import { refuseAnthropicName } from './tool-name.js';
import { refuseRule } from './wire.js';

export function checkAnthropic(
  body: JsonObject,
  headers: Readonly<Record<string, unknown>>,
): RefusalReply | undefined {
  if (headers['anthropic-version'] === undefined) {
    return refuseRule('anthropic-version: header is required');
  }
  if (asString(body.model) === undefined) return refuseRule('model: Field required');
  if (!isArray(body.messages)) return refuseRule('messages: Field required');
  if (body.messages.length === 0) {
    return refuseRule('messages: at least one message is required');
  }
  return checkTools(body) ?? checkMessages(asObjects(body.messages));
}

/** Counting tokens needs no limit for the answer; everything else is the same. */
export function checkMaxTokens(body: JsonObject): RefusalReply | undefined {
  return typeof body.max_tokens === 'number' ? undefined : refuseRule('max_tokens: Field required');
}

function checkTools(body: JsonObject): RefusalReply | undefined {
  const names = new Set<string>();
  for (const [at, tool] of asObjects(body.tools).entries()) {
    const name = asString(tool.name) ?? '';
    const refusal = refuseAnthropicName(name, `tools.${at}.custom.name`);
    if (refusal) return refusal;
    if (names.has(name)) return refuseRule('tools: Tool names must be unique.');
    names.add(name);
  }
  return undefined;
}

function checkMessages(messages: readonly JsonObject[]): RefusalReply | undefined {
  const used = new Set<string>();
  let open: readonly string[] = [];
  let before: string | undefined;
  for (const [at, message] of messages.entries()) {
    const role = asString(message.role) ?? '';
    const blocks = asObjects(message.content);
    const refusal =
      checkRole(role, before, at) ??
      checkResults(blocks, open, at) ??
      checkBlocks(blocks, message.content === '', at);
    if (refusal) return refusal;
    // Newer models take instructions right after a turn of the user; it stays that turn.
    if (role === 'system') continue;
    open = idsOf(blocks, 'tool_use', 'id');
    for (const id of open) {
      if (used.has(id))
        return refuseRule(`messages.${at}.content: \`tool_use\` ids must be unique`);
      used.add(id);
    }
    before = role;
  }
  return checkResults([], open, messages.length);
}

function checkRole(role: string, before: string | undefined, at: number): RefusalReply | undefined {
  if (role === 'system' && before === 'user') return undefined;
  if (role !== 'user' && role !== 'assistant') {
    return refuseRule(`messages.${at}.role: Input should be 'user' or 'assistant'`);
  }
  if (before === undefined && role !== 'user') {
    return refuseRule('messages: first message must use the "user" role');
  }
  if (role === before) {
    return refuseRule(
      `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
    );
  }
  return undefined;
}

function checkResults(
  blocks: readonly JsonObject[],
  open: readonly string[],
  at: number,
): RefusalReply | undefined {
  const answered = idsOf(blocks, 'tool_result', 'tool_use_id');
  const unanswered = open.filter((id) => !answered.includes(id));
  if (unanswered.length > 0) {
    return refuseRule(
      `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  const twice = answered.find((id, nth) => answered.indexOf(id) !== nth);
  if (twice !== undefined) {
    return refuseRule(
      `messages.${at}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
    );
  }
  for (const [nth, block] of blocks.entries()) {
    const id = asString(block.tool_use_id) ?? '';
    if (block.type === 'tool_result' && !open.includes(id)) {
      return refuseRule(
        `messages.${at}.content.${nth}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
  }
  return undefined;
}

function checkBlocks(
  blocks: readonly JsonObject[],
  isEmptyText: boolean,
  at: number,
): RefusalReply | undefined {
  if (isEmptyText) return refuseRule(`messages.${at}: all messages must have non-empty content`);
  for (const [nth, block] of blocks.entries()) {
    const where = `messages.${at}.content.${nth}`;
    if (block.type === 'text' && block.text === '') {
      return refuseRule('messages: text content blocks must be non-empty');
    }
    if (block.type === 'tool_use') {
      if (!isObject(block.input)) {
        return refuseRule(`${where}.tool_use.input: Input should be a valid dictionary`);
      }
      const refusal = refuseAnthropicName(asString(block.name) ?? '', `${where}.tool_use.name`);
      if (refusal) return refusal;
    }
    if (
      block.type === 'thinking' &&
      block.signature !== signatureOf(asString(block.thinking) ?? '')
    ) {
      return refuseRule(`${where}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
  return undefined;
}

function idsOf(blocks: readonly JsonObject[], type: string, field: string): string[] {
  return blocks.filter((block) => block.type === type).map((block) => asString(block[field]) ?? '');
}
