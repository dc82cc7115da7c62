import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PermissionPolicy, RunContext } from '@stoa/core';
import { isInside, PathGuard, type Place } from './paths.js';
import { type Decide, isOpen, type Judgement, judge } from './permission.js';
import type { DecidedEnvironment, Tool, ToolEnvironment } from './tool.js';

export interface CallToOpen {
  readonly run: RunContext;
  readonly callId: string;
  readonly tool: Tool;
  readonly input: unknown;
  readonly home: string;
  readonly decide: Decide;
}

export interface OpenedCall {
  readonly environment: DecidedEnvironment;
  readonly judgement: Judgement;
}

const LOOKS: ReadonlySet<string> = new Set(['read', 'search']);

/**
 * Locates what an input names, once, and decides about those places: the tool then opens them and
 * nothing else, wherever their names lead by then.
 */
export async function openCall({
  run,
  callId,
  tool,
  input,
  home,
  decide,
}: CallToOpen): Promise<OpenedCall> {
  const isLook = LOOKS.has(tool.kind);
  const paths = await PathGuard.create({
    workspace: run.session.workspace,
    home,
    // What the tasks of a session put out is for it to read, and for nobody to change.
    ...(isLook ? { readable: join(home, 'tasks', run.session.sessionId) } : {}),
  });
  const bare: ToolEnvironment = { run, callId, workspace: paths.workspace, signal: run.signal };
  const subjects = await tool.subjects(input, bare);
  const places = new Map<string, Place>();
  for (const subject of subjects) {
    if (subject.type !== 'path') continue;
    const { path } = subject;
    places.set(path, await (isLook ? paths.locate(path) : paths.locateToChange(path)));
  }
  const place = (given: string): Place => {
    const found = places.get(given);
    if (!found) throw new Error(`${tool.name} did not name ${given} as a subject`);
    return found;
  };
  const policyNow = async (): Promise<PermissionPolicy> => ({
    ...(await run.policy()),
    workspace: paths.workspace,
    userHome: homedir(),
  });
  const policy = await policyNow();
  return {
    judgement: judge(decide, { tool, subjects, policy, place }),
    environment: {
      ...bare,
      paths,
      place,
      async allows(subject) {
        if (subject.type === 'path') return false;
        const asked = { tool, subjects: [subject], policy: await policyNow(), place };
        return judge(decide, asked).outcome === 'allow';
      },
      isOpen: (path) =>
        !paths.isReserved(path) &&
        isOpen(decide, tool, policy, { path, insideWorkspace: isInside(path, paths.workspace) }),
    },
  };
}
