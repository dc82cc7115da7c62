import { ERRORS, type ErrorCode } from './registry.js';

/** One field of a request or a file, and its problem. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** RFC 9457 problem details, with our code and the issues as extension members. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly issues?: readonly Issue[];
}

/** The only error that crosses package borders; every other one is a defect. */
export class StoaError extends Error {
  override readonly name = 'StoaError';

  constructor(
    readonly code: ErrorCode,
    detail?: string,
    readonly issues: readonly Issue[] = [],
    options?: ErrorOptions,
  ) {
    super(detail ?? ERRORS[code].title, options);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  toProblem(): Problem {
    return {
      type: `urn:stoa:error:${this.code}`,
      title: ERRORS[this.code].title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.issues.length > 0 ? { issues: this.issues } : {}),
    };
  }
}
