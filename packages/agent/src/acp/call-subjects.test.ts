import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callSubjects, type KnownServers } from './call-subjects.js';
import { ToolCall } from './tool-call.js';

const NAME = 'stoa0123456789abcdef';
const SERVERS: KnownServers = {
  own: { name: NAME, tools: new Set(['emit_output', 'remember']) },
  names: ['db'],
};

const allOf = (report: Record<string, unknown>) =>
  callSubjects(new ToolCall({ toolCallId: 'c', ...report }), '/ws', SERVERS);

const subjectsOf = (report: Record<string, unknown>) => {
  const { kind, subjects } = allOf(report);
  return { kind, subjects };
};

describe('the subjects of a call', () => {
  it.each([
    [
      'a command',
      { kind: 'execute', rawInput: { command: 'git status' } },
      'execute',
      [{ type: 'shell', command: 'git status' }],
    ],
    [
      'a command as a list, quoted',
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
    ['none for reading without a path', { kind: 'read' }, 'other', [{ type: 'none' }]],
    ['none for an edit without a path', { kind: 'edit' }, 'other', [{ type: 'none' }]],
    ['none for an unknown kind', { kind: 'think' }, 'other', [{ type: 'none' }]],
    [
      'a command that is only in its title',
      { kind: 'execute', title: 'curl x' },
      'execute',
      [{ type: 'shell', command: 'curl x' }, { type: 'none' }],
    ],
  ])('are %s', (_, report, kind, subjects) => {
    expect(subjectsOf(report)).toEqual({ kind, subjects });
  });

  const SHELL = (command: string) => ({ type: 'shell', command });
  const PATH = (path: string) => ({ type: 'path', path });

  it.each([
    ['as words', { command: ['bash', '-lc', 'curl x|sh'] }, [SHELL("bash -lc 'curl x|sh'")]],
    ['under another name', { cmd: 'curl x' }, [SHELL('curl x')]],
    ['in a longer name', { shellCommand: 'curl x' }, [SHELL('curl x')]],
    ['inside', { tool: 'sh', input: { script: 'curl x' } }, [SHELL('curl x')]],
    [
      'with arguments beside it',
      { command: 'curl', args: ['-o', 'a b'] },
      [SHELL("curl -o 'a b'")],
    ],
    ['as a program', { program: 'curl', argv: ['x'] }, [SHELL('curl x')]],
    ['as words alone', { argv: ['curl', 'x'] }, [SHELL('curl x')]],
    ['twice', { command: 'ls', parsed_cmd: [{ cmd: 'curl x' }] }, [SHELL('ls'), SHELL('curl x')]],
    [
      'as several',
      { commands: ['ls', 'curl x'] },
      [SHELL("ls 'curl x'"), SHELL('ls'), SHELL('curl x')],
    ],
    ['elsewhere', { command: 'make', cwd: '/evil' }, [SHELL('cd /evil && make')]],
    ['below', { command: 'make', cwd: '/ws/sub', shell: '/bin/bash' }, [SHELL('make')]],
  ])('include a command %s, even if the call is reported as reading', (_, rawInput, commands) => {
    const report = { kind: 'read', locations: [{ path: '/ws/a' }], rawInput };
    const { kind, subjects } = subjectsOf(report);
    expect(kind).toBe('read');
    expect(subjects).toEqual(expect.arrayContaining([...commands, PATH('/ws/a')]));
    const ran = subjectsOf({ kind: 'execute', rawInput }).subjects;
    expect(ran).toEqual(commands);
  });

  it.each([
    ['an environment', { command: 'git status', env: { GIT_SSH_COMMAND: 'curl x' } }],
    ['an argument of an unknown shape', { command: 'git', args: { a: 1 } }],
    ['a command of an unknown shape', { command: ['git', null] }],
    ['a path of an unknown shape', { path: `a\n/../../../etc/passwd` }],
    ['no name', 'cat /etc/passwd'],
  ])('are unknown if there is %s', (_, rawInput) => {
    const { kind, subjects } = subjectsOf({ kind: 'read', locations: [{ path: 'a' }], rawInput });
    expect(kind).toBe('other');
    expect(subjects).toContainEqual({ type: 'none' });
  });

  it.each([
    [{ path: '/ws/a', file: '/etc/passwd' }, '/etc/passwd'],
    [{ path: '/ws/a', paths: ['b', '/etc/passwd'] }, '/etc/passwd'],
    [{ path: '/ws/a', anything: '../../etc/passwd' }, '../../etc/passwd'],
    [{ path: '/ws/a', uri: 'file:///etc/passwd' }, '/etc/passwd'],
    [{ path: '~/.ssh/id' }, join(homedir(), '.ssh/id')],
    [{ path: '/ws/a', changes: { '/etc/passwd': { type: 'update' } } }, '/etc/passwd'],
    [{ path: '/ws/a', edits: [{ file_path: '/etc/passwd', text: '' }] }, '/etc/passwd'],
  ])('include every path in %j', (rawInput, path) => {
    const { subjects } = subjectsOf({ kind: 'edit', rawInput });
    expect(subjects).toContainEqual(PATH(path));
  });

  it('include no paths in a text', () => {
    const rawInput = { path: 'a', file_text: '/* x */', old_string: '/etc', content: '../..' };
    expect(subjectsOf({ kind: 'edit', rawInput }).subjects).toEqual([PATH('a')]);
  });

  it('include each host, independent of the kind', () => {
    const rawInput = { path: 'a', url: 'https://a.example/', urls: ['https://b.example/x'] };
    for (const kind of ['read', 'fetch']) {
      expect(subjectsOf({ kind, rawInput }).subjects).toEqual(
        expect.arrayContaining(['a.example', 'b.example'].map((host) => ({ type: 'url', host }))),
      );
    }
  });

  it('are all tools that an ambiguous name can refer to', () => {
    expect(subjectsOf({ kind: 'other', name: 'mcp__stoa__x__drop' }).subjects).toEqual([
      { type: 'mcp', server: 'stoa', tool: 'x__drop' },
      { type: 'mcp', server: 'stoa__x', tool: 'drop' },
    ]);
  });

  it('include the latest name', () => {
    const call = new ToolCall({ toolCallId: 'c', kind: 'read', locations: [{ path: 'a' }] });
    call.announce('c');
    call.add({ toolCallId: 'c', name: 'mcp__db__drop' });
    expect(callSubjects(call, '/ws', SERVERS).subjects).toEqual([
      { type: 'mcp', server: 'db', tool: 'drop' },
    ]);
  });

  it.each([
    ['mcp__SERVER__TOOL', { name: 'mcp__S__T' }],
    ['mcp.SERVER.TOOL', { title: 'mcp.S.T' }],
    ['TOOL (SERVER MCP Server)', { title: 'T (S MCP Server)' }],
    ['SERVER-TOOL', { name: 'S-T' }],
    ['SERVER_TOOL', { title: 'S_T' }],
    [
      'fields',
      { title: 'anything', kind: 'execute', rawInput: { server: 'S', tool: 'T', arguments: {} } },
    ],
    ['_meta of claude', { _meta: { claudeCode: { toolName: 'mcp__S__T' } } }],
  ])('AC-7 AC-10 are an MCP tool that is reported as %s', (_, form) => {
    const as = (server: string, tool: string): Record<string, unknown> =>
      JSON.parse(
        JSON.stringify(form)
          .replaceAll(/\bS\b|(?<=_)S(?=_)|S(?=_T)/g, server)
          .replaceAll(/(?<![a-zA-Z])T(?![a-zA-Z])/g, tool),
      ) as Record<string, unknown>;
    expect(allOf(as('db', 'drop'))).toMatchObject({
      kind: 'other',
      subjects: [{ type: 'mcp', server: 'db', tool: 'drop' }],
    });
    expect(allOf(as(NAME, 'emit_output')).ownTool).toBe('emit_output');
    expect(allOf(as(NAME, 'evil')).ownTool).toBeUndefined();
    expect(allOf(as('stoa', 'emit_output')).ownTool).toBeUndefined();
  });

  it.each([
    ['a command', { rawInput: { content: 'x', command: 'curl x|sh' } }],
    ['a path', { rawInput: { content: 'x', path: 'a' } }],
    ['a path in a text that has no name', { rawInput: { any: '/etc/passwd' } }],
    ['a host', { rawInput: { url: 'https://evil.example' } }],
    ['arguments without names', { rawInput: 'curl x|sh' }],
    ['a location', { locations: [{ path: '/etc/passwd' }] }],
    ['a diff', { content: [{ type: 'diff', path: 'a', newText: '' }] }],
    ['another name', { _meta: { claudeCode: { toolName: 'Bash' } } }],
    ['fields of another server', { rawInput: { server: 'db', tool: 'drop', arguments: {} } }],
  ])('SE-56 SE-57 are no tool of Stoa if the call has %s', (_, more) => {
    expect(allOf({ name: `mcp__${NAME}__emit_output`, ...more }).ownTool).toBeUndefined();
    expect(
      allOf({ name: `mcp__${NAME}__emit_output`, rawInput: { content: '/etc' } }).ownTool,
    ).toBe('emit_output');
  });

  it('SE-56 include the command of a call with any tool name', () => {
    const report = { kind: 'execute', rawInput: { command: 'id > canary' } };
    for (const names of [
      { name: `mcp__${NAME}__emit_output` },
      { _meta: { claudeCode: { toolName: 'mcp__stoa__evil' } } },
    ]) {
      expect(allOf({ ...report, ...names }).subjects).toContainEqual(SHELL('id > canary'));
    }
  });

  it('AC-5 possibly include commands in its text, if the arguments have none', () => {
    const text = 'Run this:\n```\nrm -rf x\n```\nor `curl y`';
    const content = [{ type: 'content', content: { type: 'text', text } }];
    const { possible } = allOf({ kind: 'execute', title: 'Shell', content });
    expect(possible).toEqual(expect.arrayContaining([SHELL('rm -rf x'), SHELL('curl y')]));
  });
});
