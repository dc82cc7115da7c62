import type { DreamWork } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import { z } from 'zod';
import type { ToolDescription } from '../../call-tools.js';
import { envelope } from '../../envelope.js';

const name = z.string().min(1).max(100).describe('Name of the topic, such as deploy.md');

/** The only tools of a dream: it can read and write the topics of its own folder. */
const TOOLS = {
  read_topic: {
    description: 'Reads a topic.',
    input: z.strictObject({ name }),
  },
  write_topic: {
    description: 'Writes a complete topic and replaces an existing one.',
    input: z.strictObject({
      name,
      about: z.string().min(1).max(200).describe('One line for the index'),
      text: z.string().min(1).max(32_768).describe('The complete text, in Markdown'),
    }),
  },
  delete_topic: {
    description: 'Deletes a topic that is out of date or is covered by another one now.',
    input: z.strictObject({ name }),
  },
  finish: {
    description: 'Ends the work.',
    input: z.strictObject({
      foldedNotes: z
        .array(z.string())
        .max(200)
        .describe('Ids of notes that topics cover now, or that are out of date: they are deleted'),
    }),
  },
} as const;

export const DREAM_TOOLS: readonly ToolDescription[] = Object.entries(TOOLS).map(
  ([tool, { description, input }]) => ({
    name: tool,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }),
  }),
);

interface DreamCallResult {
  readonly output: string;
  readonly isError: boolean;
  readonly isLast: boolean;
}

/** Carries out one call. Reports invalid calls to the model. */
export function callDreamTool(work: DreamWork, tool: string, input: unknown): DreamCallResult {
  try {
    return { output: perform(work, tool, input), isError: false, isLast: tool === 'finish' };
  } catch (error) {
    if (!(error instanceof StoaError || error instanceof z.ZodError)) throw error;
    const output = error instanceof StoaError ? error.message : z.prettifyError(error);
    return { output, isError: true, isLast: false };
  }
}

function perform(work: DreamWork, tool: string, input: unknown): string {
  const { draft, namespace } = work;
  switch (tool) {
    case 'read_topic': {
      const { name: wanted } = TOOLS.read_topic.input.parse(input);
      const text = draft.read(wanted);
      if (text === undefined) {
        throw new StoaError('memory_file_not_found', `There is no topic ${wanted}`);
      }
      return envelope({ source: `topic ${wanted}`, ids: [namespace, wanted], text });
    }
    case 'write_topic': {
      const { name: wanted, about, text } = TOOLS.write_topic.input.parse(input);
      draft.write(wanted, about, text);
      return `${wanted} is written.`;
    }
    case 'delete_topic': {
      const { name: wanted } = TOOLS.delete_topic.input.parse(input);
      draft.remove(wanted);
      return `${wanted} is deleted.`;
    }
    case 'finish':
      work.fold(TOOLS.finish.input.parse(input).foldedNotes);
      return 'Done.';
    default:
      throw new StoaError('unknown_tool', `There is no tool ${tool}`);
  }
}
