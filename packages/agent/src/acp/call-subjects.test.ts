import { describe, expect, it } from 'vitest';
import { touchesOf } from './call-subjects.js';
import { ToolCall } from './tool-call.js';

const touches = (report: Record<string, unknown>) =>
  touchesOf(new ToolCall({ toolCallId: 'c', ...report }));

describe('what a call touches', () => {
  it.each([
    [
      'a command',
      { kind: 'execute', rawInput: { command: 'git status' } },
      'execute',
      [{ type: 'shell', command: 'git status' }],
    ],
    [
      'a command in words, quoted',
      { kind: 'execute', rawInput: { command: ['bash', '-lc', "echo 'a; b'"] } },
      'execute',
      [{ type: 'shell', command: `bash -lc 'echo '\\''a; b'\\'''` }],
    ],
    [
      'every path that is named anywhere',
      {
        kind: 'edit',
        rawInput: { file_path: 'a' },
        locations: [{ path: 'b' }],
        content: [{ type: 'diff', path: 'c', newText: '' }],
      },
      'edit',
      [
        { type: 'path', path: 'a' },
        { type: 'path', path: 'b' },
        { type: 'path', path: 'c' },
      ],
    ],
    [
      'a host',
      { kind: 'fetch', rawInput: { url: 'https://example.com/x' } },
      'fetch',
      [{ type: 'url', host: 'example.com' }],
    ],
    [
      'a tool of an MCP server',
      { kind: 'read', name: 'mcp__files__read' },
      'other',
      [{ type: 'mcp', server: 'files', tool: 'read' }],
    ],
    ['reading of nothing known', { kind: 'read' }, 'other', [{ type: 'none' }]],
    ['an edit of nothing known', { kind: 'edit' }, 'other', [{ type: 'none' }]],
    ['what nobody knows', { kind: 'think' }, 'other', [{ type: 'none' }]],
  ])('is %s', (_, report, kind, subjects) => {
    expect(touches(report)).toEqual({ kind, subjects });
  });
});
