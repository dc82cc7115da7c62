import type { ContentBlock, PromptResponse, SessionModeState } from '@agentclientprotocol/sdk';
import type { PermissionMode, Session, Stamped } from '@stoa/protocol';
import type { Context } from '../context.js';
import { explain } from '../failure.js';
import { bodyOf } from '../terminal/message-text.js';
import { sessionEventText } from '../terminal/session-event-text.js';
import { titleOf } from '../terminal/title.js';
import type { Editor } from './editor.js';
import { inputItemsOf, writtenText } from './prompt-input.js';
import { PromptTurn } from './prompt-turn.js';
import { RunUpdates, thought, words } from './run-updates.js';
import { promptResponse } from './turn-end.js';

const MODES: Readonly<Record<PermissionMode, readonly [name: string, description: string]>> = {
  plan: ['Plan', 'Reads and plans, changes nothing'],
  ask: ['Ask', 'Asks before it changes anything'],
  'auto-edit': ['Edit', 'Edits files here without asking'],
  full: ['Full', 'Asks only before it uses paths outside the workspace'],
};

/** A session of Stoa as one editor uses it. */
export class EditorSession {
  private readonly turns = new Map<PromptTurn, Promise<unknown>>();
  private title: string | undefined;

  constructor(
    private readonly context: Context,
    private readonly editor: Editor,
    private readonly session: Session,
  ) {
    this.title = session.title;
  }

  get modes(): SessionModeState {
    return {
      currentModeId: this.session.mode,
      availableModes: Object.entries(MODES).map(([id, [name, description]]) => ({
        id,
        name,
        description,
      })),
    };
  }

  async prompt(blocks: readonly ContentBlock[], taken: AbortSignal): Promise<PromptResponse> {
    const turn = new PromptTurn(this.context, this.editor, this.session);
    const cancel = (): void => void turn.cancel();
    taken.addEventListener('abort', cancel, { once: true });
    const end = turn.toEnd(inputItemsOf(blocks));
    this.turns.set(turn, end);
    try {
      const [outcome] = await Promise.all([end, this.name(writtenText(blocks))]);
      // The run has ended: its usage is only reported if it is available.
      const run = await this.context.client.runs.get(turn.runId).catch(() => undefined);
      return promptResponse(outcome, run);
    } finally {
      taken.removeEventListener('abort', cancel);
      this.turns.delete(turn);
    }
  }

  /** Resolves when everything that was under way is settled. */
  async cancel(): Promise<void> {
    await Promise.all([...this.turns.keys()].map((turn) => turn.cancel()));
    await Promise.allSettled(this.turns.values());
  }

  async setMode(mode: string): Promise<void> {
    await this.context.client.sessions.update(this.session.sessionId, {
      mode: mode as PermissionMode,
    });
  }

  /** Shows the messages and calls so far, as if they happened now. */
  async replay(): Promise<void> {
    const runs = new Map<string, RunUpdates>();
    const accepted = new Map<string, string>();
    const { sessionId, workspace } = this.session;
    for await (const { entries } of this.context.client.sessions.journal.pages(sessionId)) {
      for (const entry of entries) {
        if (entry.type === 'session_cleared') {
          await this.editor.show(thought(`${sessionEventText(entry) ?? ''}\n`).update);
        }
        if (!isOfRun(entry)) continue;
        const { runId } = entry.data;
        if (entry.type === 'accepted') {
          accepted.set(entry.data.itemId, bodyOf(entry.data.inputItems));
        } else if (entry.type === 'delivered') {
          const text = accepted.get(entry.data.itemId) ?? '';
          await this.editor.show(words('user_message_chunk', text));
        }
        const run = runs.get(runId) ?? new RunUpdates('', runId, workspace);
        runs.set(runId, run);
        for (const step of run.take(entry)) {
          if (step.type === 'update') await this.editor.show(step.update);
          else if (step.type === 'end') runs.delete(runId);
        }
      }
    }
  }

  /** A session that an editor creates has no name until its first prompt. */
  private async name(text: string): Promise<void> {
    if (this.title !== undefined || text.trim() === '') return;
    this.title = titleOf(text);
    try {
      await this.context.client.sessions.update(this.session.sessionId, { title: this.title });
    } catch (error) {
      this.context.say(`the title could not be set: ${explain(error, undefined).what}`);
    }
  }
}

function isOfRun(
  event: Stamped,
): event is Extract<Stamped, { data: { runId: string; origin: object } }> {
  return 'runId' in event.data && 'origin' in event.data;
}
