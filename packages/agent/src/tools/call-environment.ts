import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PermissionPolicy, RunContext } from '@stoa/core';
import { isInside, type LocatedPath, PathGuard } from './paths.js';
import { type Decide, type Judgement, judge, mayShow } from './permission.js';
import {
  type DecidedEnvironment,
  READ_ONLY_KINDS,
  type Tool,
  type ToolEnvironment,
} from './tool.js';

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

/**
 * Resolves the paths that an input names, once, and decides about the files they lead to. The tool can open only
 * these files, even if the paths lead elsewhere later.
 */
export async function openCall({
  run,
  callId,
  tool,
  input,
  home,
  decide,
}: CallToOpen): Promise<OpenedCall> {
  const isReadOnly = READ_ONLY_KINDS.has(tool.kind);
  const paths = await PathGuard.create({
    workspace: run.session.workspace,
    home,
    // A session may read the output of its tasks, and not change it.
    ...(isReadOnly ? { readable: join(home, 'tasks', run.session.sessionId) } : {}),
  });
  const bare: ToolEnvironment = { run, callId, workspace: paths.workspace, signal: run.signal };
  const subjects = await tool.subjects(input, bare);
  const locatedPaths = new Map<string, LocatedPath>();
  for (const subject of subjects) {
    if (subject.type !== 'path') continue;
    const { path } = subject;
    locatedPaths.set(path, await (isReadOnly ? paths.locate(path) : paths.locateToChange(path)));
  }
  const located = (given: string): LocatedPath => {
    const found = locatedPaths.get(given);
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
    judgement: judge(decide, { tool, subjects, policy, located }),
    environment: {
      ...bare,
      paths,
      located,
      async allows(subject) {
        if (subject.type === 'path') return false;
        const asked = { tool, subjects: [subject], policy: await policyNow(), located };
        return judge(decide, asked).outcome === 'allow';
      },
      mayShow: (path) =>
        !paths.isReserved(path) &&
        mayShow(decide, tool, policy, { path, insideWorkspace: isInside(path, paths.workspace) }),
    },
  };
}
