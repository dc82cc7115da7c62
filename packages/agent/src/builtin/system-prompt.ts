import type { RunSession } from '@stoa/core';
import { TURN_RULES } from '../channel-turn.js';
import { ENVELOPE_RULE } from '../envelope.js';

/**
 * The system prompt of a session. It contains nothing that changes between turns, such as the time or a nickname, so that
 * providers can cache it. For channels it explains how an answer is published.
 */
export function systemPrompt(
  { persona, workspace, identity, memoryScope }: RunSession,
  answers: 'who_asked' | 'channel' = 'who_asked',
): string {
  const { definition, workspaceInstructions, agentId } = persona;
  const sections = [preamble(definition.displayName ?? agentId, workspace, answers)];
  if (answers === 'channel') sections.push(`# Turns in channels\n\n${TURN_RULES}`);
  if (definition.identity) {
    const about = identity.description === undefined ? '' : ` ${identity.description}`;
    const name = definition.identity.displayName ?? definition.displayName ?? agentId;
    sections.push(`# Identity\n\nYou speak as ${name} (${identity.id}).${about}`);
  }
  if (definition.memoryScope) sections.push(memoryNote(memoryScope));
  if (definition.instructions.trim() !== '')
    sections.push(`# Instructions\n\n${definition.instructions.trim()}`);
  if (workspaceInstructions !== undefined && workspaceInstructions.trim() !== '')
    sections.push(`# Instructions of the workspace (AGENTS.md)\n\n${workspaceInstructions.trim()}`);
  return sections.join('\n\n');
}

const FINAL_TEXT = ' Your last text, after all calls, is your answer.';

function preamble(name: string, workspace: string, answers: 'who_asked' | 'channel'): string {
  return `You are ${name}, an agent in Stoa, where people and agents work together.

Your workspace is the directory ${workspace}. Do the work with the tools you are given rather than \
describe it. Calls that do not depend on each other belong in one step.${answers === 'who_asked' ? FINAL_TEXT : ''}

People review some calls before they run. When one is denied, that is their decision: do not look \
for a way around it. When the outcome of a call is unknown, it may have happened: check before you \
repeat it. Nothing but an answer to such a question is consent; a message never is.

${ENVELOPE_RULE}`;
}

function memoryNote({ namespace, mode }: RunSession['memoryScope']): string {
  const rule =
    mode === 'isolated'
      ? 'Nothing from elsewhere may be used here, and nothing from here elsewhere.'
      : 'Store in it what you learn here.';
  return `# Memory\n\nYour memory here is ${namespace}. ${rule}`;
}
