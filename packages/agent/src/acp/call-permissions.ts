import { homedir } from 'node:os';
import type { Diagnose, NewApproval, PermissionPolicy, RunContext } from '@stoa/core';
import { type Approval, LIMITS } from '@stoa/protocol';
import { type Scrub, scrubJson } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { inputHash } from '../tools/input-hash.js';
import { type LocatedPath, PathGuard } from '../tools/paths.js';
import { type Decide, type Judgement, judge } from '../tools/permission.js';
import { reviewFields } from '../tools/review.js';
import { type Sandbox, sandboxNotes } from '../tools/shell/sandbox.js';
import { ToolFailure } from '../tools/tool-failure.js';
import type { CallSubjects } from './call-subjects.js';

export interface PermissionPorts {
  readonly decide: Decide;
  /** The directory of the daemon, which is closed to agents. */
  readonly home: string;
  /** The program and its commands run in it. */
  readonly sandbox: Sandbox;
  readonly diagnose: Diagnose;
}

/** A call that asks for permission. */
export interface AskedCall {
  readonly callId: string;
  readonly tool: string;
  /** Whether the program names the tool: a rule for unnamed tools would allow too much. */
  readonly isNamed: boolean;
  readonly title: string;
  readonly input: JsonValue;
  /** Covers everything that describes the call. */
  readonly hash: string;
  readonly detail: string | undefined;
  /** A note to people about what the program did not describe. With it, no rule is suggested. */
  readonly undescribed: string | undefined;
  readonly subjects: CallSubjects;
}

export type Verdict =
  | {
      readonly isAllowed: true;
      readonly approvalId?: string;
      /** Whether the permission also covers later calls. */
      readonly isStanding: boolean;
      readonly files: readonly LocatedPath[];
    }
  | { readonly isAllowed: false; readonly reason: string };

/** Decides the calls of an agent program: by rules, and by people if the rules require it. */
export class CallPermissions {
  #guard: Promise<PathGuard> | undefined;

  constructor(
    private readonly ports: PermissionPorts & {
      /** Removes secrets from questions and log lines. */
      readonly scrub: Scrub;
      /** What the program may write besides its workspace. */
      readonly writable: readonly string[];
    },
    private readonly run: RunContext,
  ) {}

  get guard(): Promise<PathGuard> {
    const { workspace } = this.run.session;
    this.#guard ??= PathGuard.create({ workspace, home: this.ports.home });
    return this.#guard;
  }

  /** Rejects if the run ends before the decision. */
  async decide(call: AskedCall): Promise<Verdict> {
    if (await this.#isDecidedByEndpoint(call))
      return { isAllowed: true, isStanding: true, files: [] };
    const located = new Map<string, LocatedPath>();
    let judgement: Judgement;
    try {
      judgement = await this.#judge(call, located);
    } catch (error) {
      if (error instanceof ToolFailure) return { isAllowed: false, reason: error.message };
      throw error;
    }
    const files = [...located.values()];
    if (judgement.outcome === 'deny') {
      return { isAllowed: false, reason: `Not permitted: ${judgement.reason}.` };
    }
    if (judgement.outcome === 'allow') {
      return { isAllowed: true, isStanding: call.undescribed === undefined, files };
    }
    return this.#ask(call, judgement, files);
  }

  /** The daemon's MCP endpoint decides calls of its own tools, so they are decided here only if a rule names them. */
  async #isDecidedByEndpoint(call: AskedCall): Promise<boolean> {
    const { tool } = call;
    const { ownTool, kind, subjects } = call.subjects;
    if (ownTool === undefined) return false;
    const policy = await this.#policy();
    return subjects.every(
      (subject) =>
        subject.type === 'mcp' &&
        this.ports.decide({ tool, kind, subject }, policy).rule === undefined,
    );
  }

  /** Why the rules or the mode deny an MCP tool of a call; undefined if they do not. */
  async denialReason(tool: string, { kind, subjects }: CallSubjects): Promise<string | undefined> {
    const tools = subjects.filter((subject) => subject.type === 'mcp');
    if (tools.length === 0) return undefined;
    const policy = await this.#policy();
    for (const subject of tools) {
      const { outcome, reason } = this.ports.decide({ tool, kind, subject }, policy);
      if (outcome === 'deny') return `${reason}.`;
    }
    return undefined;
  }

  async #policy(): Promise<PermissionPolicy> {
    const { workspace } = await this.guard;
    return { ...(await this.run.policy()), workspace, userHome: homedir() };
  }

  async #judge(call: AskedCall, located: Map<string, LocatedPath>): Promise<Judgement> {
    const { tool, callId, subjects } = call;
    const guard = await this.guard;
    for (const subject of subjects.subjects) {
      if (subject.type === 'path') {
        located.set(subject.path, await guard.locateToChange(subject.path));
      }
    }
    const policy = await this.#policy();
    const judged = judge(this.ports.decide, {
      tool: { name: tool, kind: subjects.kind },
      subjects: subjects.subjects,
      policy,
      located: (given) => {
        const file = located.get(given);
        if (!file) throw new Error(`${given} was not located`);
        return file;
      },
    });
    const judgement = this.#withPossible(judged, tool, subjects, policy);
    for (const command of judgement.unparsable) {
      const { runId, session } = this.run;
      this.ports.diagnose('a command could not be parsed, so no rule allows it', {
        sessionId: session.sessionId,
        runId,
        callId,
        command: this.ports.scrub(command),
      });
    }
    return judgement;
  }

  /** What the sandbox prevents, for calls that run commands. */
  async #sandboxNotes({ kind, subjects }: CallSubjects): Promise<string[]> {
    const isCommand = kind === 'execute' || subjects.some(({ type }) => type === 'shell');
    if (!isCommand) return [];
    const { sandbox, writable } = this.ports;
    return sandboxNotes(await sandbox.report({ writable }));
  }

  /** Applies deny and ask rules to the other possible meanings of the call. */
  #withPossible(
    judged: Judgement,
    tool: string,
    { kind, possible }: CallSubjects,
    policy: PermissionPolicy,
  ): Judgement {
    const ruled = possible.flatMap((subject) => {
      if (subject.type === 'path') return [];
      const decision = this.ports.decide({ tool, kind, subject }, policy);
      return decision.rule === undefined ? [] : [decision];
    });
    const found =
      ruled.find(({ outcome }) => outcome === 'deny') ??
      (judged.outcome === 'allow' ? ruled.find(({ outcome }) => outcome === 'ask') : undefined);
    if (!found || judged.outcome === 'deny') return judged;
    return {
      outcome: found.outcome,
      reason: found.reason,
      unparsable: judged.unparsable,
      staysInWorkspace: judged.staysInWorkspace,
    };
  }

  async #ask(
    call: AskedCall,
    judgement: Judgement,
    files: readonly LocatedPath[],
  ): Promise<Verdict> {
    const { callId, tool, title, input, hash, detail, undescribed } = call;
    if (Buffer.byteLength(JSON.stringify(input)) > LIMITS.toolInputBytes) {
      return { isAllowed: false, reason: 'Its arguments are too long for people to review.' };
    }
    const { subjects } = call.subjects;
    const isSpecific = call.isNamed || subjects.every(({ type }) => type !== 'none');
    const { scrub } = this.ports;
    const rule = undescribed === undefined && isSpecific ? judgement.suggestedRule : undefined;
    const suggestedRule = rule !== undefined && scrub(rule) === rule ? rule : undefined;
    const approval = await this.run.ask({
      kind: 'tool',
      callId,
      tool,
      title: scrub(title),
      input: scrubJson(scrub, input),
      inputHash: hash,
      reason: scrub(judgement.reason),
      ...reviewFields({
        detail: detail === undefined ? undefined : scrub(detail),
        notes: [
          ...(undescribed === undefined ? [] : [scrub(undescribed)]),
          ...(await this.#sandboxNotes(call.subjects)),
        ],
      }),
      ...(suggestedRule === undefined || suggestedRule.length > LIMITS.ruleChars
        ? {}
        : { suggestedRule }),
    } satisfies NewApproval);
    // A run asks once for each call id: the answer does not cover another call with the same id.
    if (approval.inputHash !== hash || approval.tool !== tool) {
      return {
        isAllowed: false,
        reason: 'Its id was used for another call before: it did not run.',
      };
    }
    if (approval.state !== 'allowed') return { isAllowed: false, reason: refusalOf(approval) };
    const { approvalId, scope = 'once', updatedInput } = approval;
    if (updatedInput !== undefined && inputHash(updatedInput) !== inputHash(input)) {
      const reason =
        'It was allowed with other arguments, which this agent cannot receive: it did not run.';
      return { isAllowed: false, reason };
    }
    return { isAllowed: true, approvalId, isStanding: scope !== 'once', files };
  }
}

function refusalOf({ state, answer }: Approval): string {
  switch (state) {
    case 'denied':
      return `A person denied this call${answer === undefined ? '.' : `: ${answer}`}`;
    case 'expired':
      return 'Nobody approved this call in time; it did not run.';
    default:
      return 'The question about this call was withdrawn; it did not run.';
  }
}
