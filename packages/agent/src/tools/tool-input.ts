import { LIMITS } from '@stoa/protocol';
import type { z } from 'zod';
import type { Tool } from './tool.js';
import { ToolFailure } from './tool-failure.js';

/**
 * Parses the arguments of a call. Throws a ToolFailure that describes what does not fit. The result is shown to
 * people, hashed and executed; it is frozen, so that all three see the same value.
 */
export function readInput(tool: Tool, given: unknown): unknown {
  if (typeof given === 'string') {
    throw new ToolFailure(
      `The arguments of ${tool.name} are not a JSON object: ${given.slice(0, 200)}`,
    );
  }
  const size = Buffer.byteLength(JSON.stringify(given ?? null));
  if (size > LIMITS.toolInputBytes) {
    throw new ToolFailure(
      `The arguments of ${tool.name} are ${size} bytes; at most ${LIMITS.toolInputBytes} are accepted`,
    );
  }
  const parsed = tool.input.safeParse(given);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, SHOWN_ISSUES).map(issueText);
    throw new ToolFailure(`The arguments of ${tool.name} do not fit: ${issues.join('; ')}`);
  }
  return freeze(structuredClone(parsed.data));
}

/** Why the arguments do not fit, if so. */
export function whyUnfit(tool: Tool, given: unknown): string | undefined {
  try {
    readInput(tool, given);
    return undefined;
  } catch (error) {
    return error instanceof ToolFailure ? error.message : String(error);
  }
}

const SHOWN_ISSUES = 5;

function issueText({ path, message }: z.core.$ZodIssue): string {
  const where = path.map(String).join('.');
  return where === '' ? message : `${where}: ${message}`;
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
