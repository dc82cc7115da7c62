import { homedir } from 'node:os';
import type { NewApproval, PermissionPolicy, RunContext } from '@stoa/core';
import { type Approval, LIMITS } from '@stoa/protocol';
import { type Scrub, scrubJson } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { inputHash } from '../tools/input-hash.js';
import { PathGuard, type Place } from '../tools/paths.js';
import { type Decide, type Judgement, judge } from '../tools/permission.js';
import { reviewFields } from '../tools/review.js';
import { type Sandbox, sandboxNotes } from '../tools/shell/sandbox.js';
import { ToolFailure } from '../tools/tool-failure.js';
import type { Touches } from './call-subjects.js';

export interface DeskPorts {
  readonly decide: Decide;
  /** The directory of the daemon; no agent comes near it. */
  readonly home: string;
  /** What its program runs in, and so its commands. */
  readonly sandbox: Sandbox;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/** What stands in a question that people are asked, and in the log, has no secrets in it. */
interface ScrubPort {
  readonly scrub: Scrub;
  /** What the program may write besides its workspace. */
  readonly writable: readonly string[];
}

/** A call that somebody has to decide about. */
export interface AskedCall {
  readonly callId: string;
  readonly tool: string;
  /** Whether the tool is known: a rule for all that are not would allow too much. */
  readonly isNamed: boolean;
  readonly title: string;
  readonly input: JsonValue;
  /** Over everything that describes the call. */
  readonly hash: string;
  readonly detail: string | undefined;
  /** What the program did not describe, for people. If there is something, no rule is suggested. */
  readonly lack: string | undefined;
  readonly touches: Touches;
}

export type Verdict =
  | {
      readonly isAllowed: true;
      readonly approvalId?: string;
      /** Whether the answer reaches further than this call. */
      readonly isStanding: boolean;
      readonly places: readonly Place[];
    }
  | { readonly isAllowed: false; readonly words: string };

/** Decides about what the agent of a run asks for: by the rules, and where they say so by people. */
export class CallDesk {
  #guard: Promise<PathGuard> | undefined;

  constructor(
    private readonly ports: DeskPorts & ScrubPort,
    private readonly run: RunContext,
  ) {}

  get guard(): Promise<PathGuard> {
    const { workspace } = this.run.session;
    this.#guard ??= PathGuard.create({ workspace, home: this.ports.home });
    return this.#guard;
  }

  /** Rejects when the run is over before it was decided. */
  async decide(call: AskedCall): Promise<Verdict> {
    if (await this.#isLeftToEndpoint(call))
      return { isAllowed: true, isStanding: true, places: [] };
    const places = new Map<string, Place>();
    let judgement: Judgement;
    try {
      judgement = await this.#judge(call, places);
    } catch (error) {
      if (error instanceof ToolFailure) return { isAllowed: false, words: error.message };
      throw error;
    }
    const found = [...places.values()];
    if (judgement.outcome === 'deny') {
      return { isAllowed: false, words: `Not permitted: ${judgement.reason}.` };
    }
    if (judgement.outcome === 'allow') {
      return { isAllowed: true, isStanding: call.lack === undefined, places: found };
    }
    return this.#ask(call, judgement, found);
  }

  /** The daemon's own endpoint decides about its tools itself, so nobody is asked twice, unless by a rule. */
  async #isLeftToEndpoint({ tool, touches }: AskedCall): Promise<boolean> {
    const { ownTool, kind, subjects } = touches;
    if (ownTool === undefined) return false;
    const policy = await this.#policy();
    return subjects.every(
      (subject) =>
        subject.type === 'mcp' &&
        this.ports.decide({ tool, kind, subject }, policy).rule === undefined,
    );
  }

  /** Why the rules or the mode deny a call, where its MCP tools alone tell; undefined when they do not. */
  async whyDenied({
    tool,
    touches,
  }: Pick<AskedCall, 'tool' | 'touches'>): Promise<string | undefined> {
    const policy = await this.#policy();
    for (const subject of touches.subjects) {
      if (subject.type !== 'mcp') continue;
      const { outcome, reason } = this.ports.decide({ tool, kind: touches.kind, subject }, policy);
      if (outcome === 'deny') return `${reason}.`;
    }
    return undefined;
  }

  async #policy(): Promise<PermissionPolicy> {
    const { workspace } = await this.guard;
    return { ...(await this.run.policy()), workspace, userHome: homedir() };
  }

  async #judge({ tool, callId, touches }: AskedCall, places: Map<string, Place>) {
    const guard = await this.guard;
    for (const subject of touches.subjects) {
      if (subject.type === 'path') {
        places.set(subject.path, await guard.locateToChange(subject.path));
      }
    }
    const policy = await this.#policy();
    const judged = judge(this.ports.decide, {
      tool: { name: tool, kind: touches.kind },
      subjects: touches.subjects,
      policy,
      place: (given) => {
        const place = places.get(given);
        if (!place) throw new Error(`${given} was not located`);
        return place;
      },
    });
    const judgement = this.#stricter(judged, { tool, touches }, policy);
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

  /** What the sandbox keeps a command from, and what not. */
  async #notes({ touches: { kind, subjects } }: AskedCall): Promise<string[]> {
    const isCommand = kind === 'execute' || subjects.some(({ type }) => type === 'shell');
    if (!isCommand) return [];
    const { sandbox, writable } = this.ports;
    return sandboxNotes(await sandbox.report({ writable }));
  }

  /** Deny and ask rules also apply to the other things that the call could mean. */
  #stricter(
    judged: Judgement,
    { tool, touches }: Pick<AskedCall, 'tool' | 'touches'>,
    policy: PermissionPolicy,
  ): Judgement {
    const ruled = touches.possible.flatMap((subject) => {
      if (subject.type === 'path') return [];
      const decision = this.ports.decide({ tool, kind: touches.kind, subject }, policy);
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

  async #ask(call: AskedCall, judgement: Judgement, places: readonly Place[]): Promise<Verdict> {
    const { callId, tool, title, input, hash, detail, lack } = call;
    if (Buffer.byteLength(JSON.stringify(input)) > LIMITS.toolInputBytes) {
      return { isAllowed: false, words: 'Its arguments are too long for people to be asked.' };
    }
    const isSubject = call.isNamed || call.touches.subjects.every(({ type }) => type !== 'none');
    const isRule = lack === undefined && isSubject;
    const { scrub } = this.ports;
    const rule = isRule ? judgement.suggestedRule : undefined;
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
        notes: [...(lack === undefined ? [] : [scrub(lack)]), ...(await this.#notes(call))],
      }),
      ...(suggestedRule === undefined || suggestedRule.length > LIMITS.ruleChars
        ? {}
        : { suggestedRule }),
    } satisfies NewApproval);
    // A run asks about a call id once: another call under the same id gets no part in that answer.
    if (approval.inputHash !== hash || approval.tool !== tool) {
      return {
        isAllowed: false,
        words: 'Its id was used for another call before: it did not run.',
      };
    }
    if (approval.state !== 'allowed') return { isAllowed: false, words: refusalOf(approval) };
    const { approvalId, scope = 'once', updatedInput } = approval;
    if (updatedInput !== undefined && inputHash(updatedInput) !== inputHash(input)) {
      const words =
        'It was allowed with other arguments, and this agent cannot be given others: it did not run.';
      return { isAllowed: false, words };
    }
    return { isAllowed: true, approvalId, isStanding: scope !== 'once', places };
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
