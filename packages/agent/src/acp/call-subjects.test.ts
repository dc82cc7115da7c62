import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { touchesOf } from './call-subjects.js';
import { ToolCall } from './tool-call.js';

const touches = (report: Record<string, unknown>) =>
  touchesOf(new ToolCall({ toolCallId: 'c', ...report }), '/ws');

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
    [
      'a command that is only said in its title',
      { kind: 'execute', title: 'curl x' },
      'execute',
      [{ type: 'shell', command: 'curl x' }, { type: 'none' }],
    ],
  ])('is %s', (_, report, kind, subjects) => {
    expect(touches(report)).toEqual({ kind, subjects });
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
  ])('is a command %s, also where it is said to read', (_, rawInput, commands) => {
    const report = { kind: 'read', locations: [{ path: '/ws/a' }], rawInput };
    const { kind, subjects } = touches(report);
    expect(kind).toBe('read');
    expect(subjects).toEqual(expect.arrayContaining([...commands, PATH('/ws/a')]));
    const ran = touches({ kind: 'execute', rawInput }).subjects;
    expect(ran).toEqual(commands);
  });

  it.each([
    ['variables', { command: 'git status', env: { GIT_SSH_COMMAND: 'curl x' } }],
    ['arguments of an unknown shape', { command: 'git', args: { a: 1 } }],
    ['a command of an unknown shape', { command: ['git', null] }],
    ['a path of an unknown shape', { path: `a\n/../../../etc/passwd` }],
    ['no names', 'cat /etc/passwd'],
  ])('is not known where there are %s', (_, rawInput) => {
    const { kind, subjects } = touches({ kind: 'read', locations: [{ path: 'a' }], rawInput });
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
  ])('is every path in %j', (rawInput, path) => {
    const { subjects } = touches({ kind: 'edit', rawInput });
    expect(subjects).toContainEqual(PATH(path));
  });

  it('is no path that stands in a text', () => {
    const rawInput = { path: 'a', file_text: '/* x */', old_string: '/etc', content: '../..' };
    expect(touches({ kind: 'edit', rawInput }).subjects).toEqual([PATH('a')]);
  });

  it('is each host, whatever it is said to do', () => {
    const rawInput = { path: 'a', url: 'https://a.example/', urls: ['https://b.example/x'] };
    for (const kind of ['read', 'fetch']) {
      expect(touches({ kind, rawInput }).subjects).toEqual(
        expect.arrayContaining(['a.example', 'b.example'].map((host) => ({ type: 'url', host }))),
      );
    }
  });

  it('is each tool that an ambiguous name can mean, so that no server passes as another', () => {
    expect(touches({ kind: 'other', name: 'mcp__stoa__x__drop' }).subjects).toEqual([
      { type: 'mcp', server: 'stoa', tool: 'x__drop' },
      { type: 'mcp', server: 'stoa__x', tool: 'drop' },
    ]);
  });

  it('is what it is called last, too', () => {
    const call = new ToolCall({ toolCallId: 'c', kind: 'read', locations: [{ path: 'a' }] });
    call.announce('c');
    call.add({ toolCallId: 'c', name: 'mcp__db__drop' });
    expect(touchesOf(call, '/ws').subjects).toEqual([{ type: 'mcp', server: 'db', tool: 'drop' }]);
  });
});
