import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { expandVariables, UnsetVariable } from './expand-variables.js';
import { nameOf, outputOf, serverTools } from './server-tools.js';

const NOTHING: McpTool['inputSchema'] = { type: 'object' };
const call = () => Promise.reject(new Error('not part of this test'));

describe('the name of a tool of an MCP server', () => {
  it('contains its server, with characters and a length that every provider accepts', () => {
    expect(nameOf('files', 'read')).toBe('mcp__files__read');
    for (const odd of ['a.b', 'a/b', 'ä', 'x'.repeat(100), '']) {
      expect(nameOf('files', odd)).toMatch(/^mcp__files__[A-Za-z0-9_-]*$/);
      expect(nameOf('files', odd).length).toBeLessThanOrEqual(64);
    }
  });

  it('differs for each tool', () => {
    const names = ['a.b', 'a/b', 'a_b', `${'x'.repeat(100)}1`, `${'x'.repeat(100)}2`];
    expect(new Set(names.map((name) => nameOf('files', name))).size).toBe(names.length);
  });
});

describe('the tools of an MCP server', () => {
  it('are limited in number and size', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      name: `tool${String(i)}`,
      inputSchema: NOTHING,
    }));
    expect(await serverTools({ name: 'many', tools: many, call })).toHaveLength(200);
    const large = { ...NOTHING, description: 'x'.repeat(100_000) };
    const tools = [
      { name: 'large', inputSchema: large },
      { name: 'wordy', description: 'y'.repeat(100_000), inputSchema: NOTHING },
      { name: 'wordy', inputSchema: NOTHING },
    ];
    const [wordy, ...rest] = await serverTools({ name: 'odd', tools, call });
    expect(rest).toEqual([]);
    expect(wordy?.name).toBe('mcp__odd__wordy');
    expect(wordy?.description.length).toBeLessThanOrEqual(4_000);
  });

  it('accept what matches their schema, and everything if the schema is invalid', async () => {
    const strict: McpTool['inputSchema'] = {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] } },
      additionalProperties: false,
    };
    const broken: McpTool['inputSchema'] = { type: 'object', properties: { x: { pattern: '(' } } };
    const tools = [
      { name: 'strict', inputSchema: strict },
      { name: 'broken', inputSchema: broken },
    ];
    const [one, two] = await serverTools({ name: 'test', tools, call });
    expect(one?.input.safeParse({ kind: 'a' }).success).toBe(true);
    expect(one?.input.safeParse(undefined).success).toBe(true);
    expect(one?.input.safeParse({ kind: 'c' }).success).toBe(false);
    expect(one?.input.safeParse({ other: 1 }).success).toBe(false);
    expect(one?.input.safeParse('a').success).toBe(false);
    expect(two?.input.safeParse({ x: 'anything' }).success).toBe(true);
  });
});

describe('the result of a tool of an MCP server', () => {
  it('is its text, with placeholders for other content', () => {
    expect(
      outputOf({
        content: [
          { type: 'text', text: 'two files' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'file:///a', name: 'a' },
          { type: 'resource', resource: { uri: 'file:///b', text: 'the text of b' } },
          { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
        ],
      }),
    ).toEqual({
      text: [
        'two files',
        '[image of type image/png, not shown]',
        '[resource a: file:///a]',
        'the text of b',
        '[resource file:///c, not text]',
      ].join('\n'),
    });
  });

  it('is its data if it has no text', () => {
    expect(outputOf({ content: [], structuredContent: { sum: 3 } })).toEqual({ text: '{"sum":3}' });
    expect(outputOf({ content: [], isError: true })).toEqual({
      text: '[No output]',
      isError: true,
    });
  });
});

describe('variables in the configuration of a server', () => {
  it('are replaced by those of the daemon', () => {
    const values = { a: '$NAME', b: 'Bearer ${NAME}!', c: '$$NAME', d: '5 $ or $5', e: '' };
    expect(expandVariables(values, { NAME: 'x$NAME' })).toEqual({
      a: 'x$NAME',
      b: 'Bearer x$NAME!',
      c: '$NAME',
      d: '5 $ or $5',
      e: '',
    });
  });

  it('are named in the error if they are not set', () => {
    expect(() => expandVariables({ a: '$NO_SUCH' }, {})).toThrow(UnsetVariable);
    expect(() => expandVariables({ a: '$NO_SUCH' }, {})).toThrow(/NO_SUCH is not set/);
  });
});
