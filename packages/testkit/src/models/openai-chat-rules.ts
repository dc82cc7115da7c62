import { asObject, asObjects, asString, isArray, type JsonObject } from './json.js';
import type { RefusalReply } from './reply.js';
import { refuseOpenaiName } from './tool-name.js';
import { refuseRule } from './wire.js';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

export function checkOpenaiChat(body: JsonObject): RefusalReply | undefined {
  if (asString(body.model) === undefined) return refuseRule('you must provide a model parameter');
  if (!isArray(body.messages)) {
    return refuseRule("Missing required parameter: 'messages'.", {
      param: 'messages',
      code: 'missing_required_parameter',
    });
  }
  if (body.messages.length === 0) {
    return refuseRule(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { param: 'messages', code: 'empty_array' },
    );
  }
  if (asObject(body.stream_options) && body.stream !== true) {
    return refuseRule("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  }
  return checkTools(body) ?? checkMessages(asObjects(body.messages));
}

function checkTools(body: JsonObject): RefusalReply | undefined {
  for (const [at, tool] of asObjects(body.tools).entries()) {
    const name = asString(asObject(tool.function)?.name) ?? '';
    const refusal = refuseOpenaiName(name, `tools[${at}].function.name`);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Every result belongs to a call just before it, and every call is answered before anyone speaks. */
function checkMessages(messages: readonly JsonObject[]): RefusalReply | undefined {
  let open = new Map<string, number | undefined>();
  for (const [at, message] of messages.entries()) {
    const role = asString(message.role) ?? '';
    if (!ROLES.includes(role)) {
      return refuseRule(`Invalid value: '${role}'. Supported values are: ${ROLES.join(', ')}.`, {
        param: `messages[${at}].role`,
        code: 'invalid_value',
      });
    }
    if (role === 'tool') {
      const refusal = takeResult(open, message, at);
      if (refusal) return refusal;
      continue;
    }
    const refusal = refuseUnanswered(open, at) ?? checkSpoken(message, role, at);
    if (refusal) return refusal;
    open = new Map(
      asObjects(message.tool_calls).map((call) => [asString(call.id) ?? '', undefined]),
    );
  }
  return refuseUnanswered(open, messages.length);
}

function takeResult(
  open: Map<string, number | undefined>,
  message: JsonObject,
  at: number,
): RefusalReply | undefined {
  const id = asString(message.tool_call_id) ?? '';
  if (open.size === 0) {
    return refuseRule(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param: `messages.[${at}].role` },
    );
  }
  if (!open.has(id)) {
    return refuseRule(
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      { param: `messages.[${at}].tool_call_id` },
    );
  }
  const before = open.get(id);
  if (before !== undefined) {
    return refuseRule(
      `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${before}] and messages[${at}].`,
      { param: `messages.[${at}].tool_call_id` },
    );
  }
  open.set(id, at);
  return undefined;
}

function refuseUnanswered(
  open: ReadonlyMap<string, number | undefined>,
  at: number,
): RefusalReply | undefined {
  const unanswered = [...open].filter(([, result]) => result === undefined).map(([id]) => id);
  if (unanswered.length === 0) return undefined;
  return refuseRule(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${unanswered.join(', ')}`,
    { param: `messages.[${at}].role` },
  );
}

function checkSpoken(message: JsonObject, role: string, at: number): RefusalReply | undefined {
  const calls = asObjects(message.tool_calls);
  if (typeof message.content !== 'string' && !isArray(message.content) && calls.length === 0) {
    return refuseRule(
      `Invalid value for 'content': expected a string, got ${message.content === undefined ? 'nothing' : 'null'}.`,
      { param: `messages.[${at}].content` },
    );
  }
  if (role !== 'assistant') return undefined;
  for (const [nth, call] of calls.entries()) {
    const where = `messages[${at}].tool_calls[${nth}].function`;
    const { name, arguments: args } = asObject(call.function) ?? {};
    const refusal = refuseOpenaiName(asString(name) ?? '', `${where}.name`);
    if (refusal) return refusal;
    if (typeof args !== 'string') {
      return refuseRule(`Invalid type for '${where}.arguments': expected a string.`, {
        param: `${where}.arguments`,
        code: 'invalid_type',
      });
    }
  }
  return undefined;
}
