import type { ErrorCode, Issue, Problem } from '@stoa/protocol';

/** The problem that the daemon answered with, or that none answered. Match `code`, never text. */
export class StoaProblem extends Error {
  override readonly name = 'StoaProblem';

  constructor(
    readonly code: ErrorCode,
    readonly status: number,
    readonly detail: string,
    readonly issues: readonly Issue[] = [],
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

export function unreachable(detail: string, cause?: unknown): StoaProblem {
  return new StoaProblem('daemon_unreachable', 503, detail, [], { cause });
}

/** Reads problem+json; any other error answer is not from a Stoa daemon. */
export function problemFrom(status: number, body: string, from: string): StoaProblem {
  const problem = parse(body);
  if (problem) return new StoaProblem(problem.code, status, problem.detail, problem.issues ?? []);
  return unreachable(`what answers at ${from} is not a Stoa daemon (HTTP status ${status})`);
}

function parse(body: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isProblem(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return typeof fields['code'] === 'string' && typeof fields['detail'] === 'string';
}
