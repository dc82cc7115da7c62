import type { TranscriptEntry } from '@stoa/core';
import { textWithAssets } from '@stoa/protocol';
import { boundaryNote } from '../boundary-note.js';
import { toolResultForModel } from '../envelope.js';
import { attributed } from './input-message.js';

/** An entry of a transcript as text for a summary. */
export function entryText(entry: TranscriptEntry): string {
  switch (entry.type) {
    case 'summary':
      return `Earlier summary:\n${entry.text}`;
    case 'context':
      return boundaryNote(entry.context);
    case 'input': {
      const { inputItems, fromName } = entry.input;
      const text = textWithAssets(inputItems, (assetId) => `[attachment ${assetId}]`, '\n\n');
      return `Asked by ${fromName}:\n${attributed(entry.input, text, false)}`;
    }
    case 'assistant':
      return entry.parts
        .map((part) => {
          if (part.type === 'text') return `You answered:\n${part.text}`;
          if (part.type === 'reasoning') return '';
          return `You called ${part.tool} with ${JSON.stringify(part.input)}`;
        })
        .filter((text) => text !== '')
        .join('\n');
    case 'tool_result':
      return `${entry.tool} returned (${entry.outcome}):\n${toolResultForModel(entry)}`;
    case 'end':
      return entry.how === 'completed' ? '' : `The work was ${entry.how}.`;
  }
}
