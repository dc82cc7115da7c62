import { LIMITS } from '@stoa/protocol';
import type { z } from 'zod';
import type { Tool } from './tool.js';
import { ToolFailure } from './tool-failure.js';

/**
 * The input as the tool declares it, or a failure that says where it does not fit. What comes out is
 * what people are shown, what is hashed and what runs; it is frozen, so that these stay one.
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
      `The arguments of ${tool.name} are ${size} bytes; at most ${LIMITS.toolInputBytes} are taken`,
    );
  }
  const parsed = tool.input.safeParse(given);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, SHOWN_ISSUES).map(issueText);
    throw new ToolFailure(`The arguments of ${tool.name} do not fit: ${issues.join('; ')}`);
  }
  return freeze(structuredClone(parsed.data));
}

/** The same, for who only wants to know whether it would fit. */
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
