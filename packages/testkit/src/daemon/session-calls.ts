import {
  type Approval,
  type InboxItem,
  type Run,
  type Session,
  TERMINAL_RUN_STATUSES,
} from '@stoa/protocol';
import { until } from '../time/until.js';
import type { CallAnswer } from './call.js';
import type { Caller } from './caller.js';

const ENDED: readonly Run['status'][] = TERMINAL_RUN_STATUSES;

/** Creates a session that must be accepted, and returns its id. */
export async function openSession(by: Caller, body: object): Promise<string> {
  const { sessionId } = accepted(await by.post<Session>('/v1/sessions', body));
  return sessionId;
}

/** Adds a text that must be accepted to the inbox of a session. */
export async function submit(by: Caller, sessionId: string, text: string): Promise<InboxItem> {
  return accepted(await by.post<InboxItem>(`/v1/sessions/${sessionId}/inbox`, { text }));
}

/** Waits until a run has ended. */
export const endedRun = (by: Caller, runId: string): Promise<Run> =>
  until(
    `${runId} has ended`,
    async () => {
      const { json } = await by.get<Run>(`/v1/runs/${runId}`);
      return ENDED.includes(json.status) ? json : undefined;
    },
    { timeoutMs: 60_000 },
  );

/** Sends a text to a session and waits until its run has ended. */
export async function askSession(by: Caller, sessionId: string, text: string): Promise<Run> {
  return endedRun(by, (await submit(by, sessionId, text)).runId);
}

/** The runs of a session, newest first. */
export async function runsOf(by: Caller, sessionId: string): Promise<Run[]> {
  return (await by.get<{ runs: Run[] }>(`/v1/sessions/${sessionId}/runs`)).json.runs;
}

export async function approvalsOf(by: Caller, sessionId: string): Promise<Approval[]> {
  const path = `/v1/approvals?sessionId=${sessionId}`;
  return (await by.get<{ approvals: Approval[] }>(path)).json.approvals;
}

/** Waits until a session asks something. */
export const pendingApproval = (by: Caller, sessionId: string): Promise<Approval> =>
  until(
    `${sessionId} asks something`,
    async () => (await approvalsOf(by, sessionId)).find(({ state }) => state === 'pending'),
    { timeoutMs: 60_000 },
  );

export const answerApproval = (
  by: Caller,
  { approvalId }: Pick<Approval, 'approvalId'>,
  body: object,
): Promise<CallAnswer> => by.post(`/v1/approvals/${approvalId}/answer`, body);

function accepted<T>({ status, json, text }: CallAnswer<T>): T {
  if (status >= 300) throw new Error(text);
  return json;
}
