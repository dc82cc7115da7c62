import * as nouns from '../nouns.js';
import type { Tool } from './tool.js';

/** The tools of every session, with every driver: they act only through the run. Agent programs call them over MCP. */
export const SESSION_TOOLS: readonly Tool[] = Object.values<Tool>(nouns).sort((a, b) =>
  a.name < b.name ? -1 : 1,
);
