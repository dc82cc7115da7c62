import type { PermissionMode, PermissionRules } from '@stoa/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type Policy } from './decide.js';
import type { Subject, ToolKind, ToolRequest } from './request.js';

const MODES = ['plan', 'ask', 'auto-edit', 'full'] as const;
const KINDS = ['read', 'edit', 'search', 'execute', 'fetch', 'ask', 'speak', 'other'] as const;

function policy(mode: PermissionMode, rules: PermissionRules = {}): Policy {
  return { mode, workspace: '/work', userHome: '/home/ada', rules: [{ source: 'config', rules }] };
}

function path(at: string, { insideHome = false } = {}): Subject {
  const insideWorkspace = at === '/work' || at.startsWith('/work/');
  return { type: 'path', path: at, insideWorkspace, insideHome };
}

function read(at: string): ToolRequest {
  return { tool: 'read_file', kind: 'read', subject: path(at) };
}

function edit(at: string): ToolRequest {
  return { tool: 'edit_file', kind: 'edit', subject: path(at) };
}

function shell(command: string): ToolRequest {
  return { tool: 'shell', kind: 'execute', subject: { type: 'shell', command } };
}

const fetchPage: ToolRequest = {
  tool: 'web_fetch',
  kind: 'fetch',
  subject: { type: 'url', host: 'example.com' },
};

function outcomes(request: ToolRequest, rules?: PermissionRules): string {
  return MODES.map((mode) => decide(request, policy(mode, rules)).outcome).join(' ');
}

describe('the modes', () => {
  it.each<[string, ToolRequest, string]>([
    ['reading inside', read('/work/a'), 'allow allow allow allow'],
    [
      'searching inside',
      { tool: 'grep', kind: 'search', subject: path('/work') },
      'allow allow allow allow',
    ],
    ['reading outside', read('/etc/passwd'), 'deny ask ask ask'],
    ['editing inside', edit('/work/a'), 'deny ask allow allow'],
    ['editing outside', edit('/etc/passwd'), 'deny ask ask ask'],
    ['a command', shell('ls'), 'deny ask ask allow'],
    ['fetching', fetchPage, 'deny ask ask allow'],
    [
      'asking people',
      { tool: 'ask_user', kind: 'ask', subject: { type: 'none' } },
      'allow allow allow allow',
    ],
    [
      'speaking',
      { tool: 'send_message', kind: 'speak', subject: { type: 'none' } },
      'allow allow allow allow',
    ],
    [
      'sending a file from outside',
      { tool: 'emit_output', kind: 'speak', subject: path('/etc/passwd') },
      'deny ask ask ask',
    ],
    [
      'anything else',
      { tool: 'task_create', kind: 'other', subject: { type: 'none' } },
      'deny ask ask allow',
    ],
    [
      'an edit of something unknown',
      { tool: 'apply', kind: 'edit', subject: { type: 'none' } },
      'deny ask ask allow',
    ],
    [
      'an MCP tool, also if it says it reads',
      { tool: 'x', kind: 'read', subject: { type: 'mcp', server: 's', tool: 'x' } },
      'deny ask ask allow',
    ],
    ['a command, also if it says it reads', { ...shell('ls'), kind: 'read' }, 'deny ask ask allow'],
  ])('R-17 %s', (_, request, expected) => {
    expect(outcomes(request)).toBe(expected);
  });

  it('plan mode is named in the reason, and no rule weakens it', () => {
    const rules = { allow: ['Shell', 'Edit', 'Read(/etc/**)'], ask: ['Shell(git *)'] };
    for (const request of [shell('git status'), edit('/work/a'), read('/etc/passwd')]) {
      const decision = decide(request, policy('plan', rules));
      expect(decision.outcome).toBe('deny');
      expect(decision.reason).toContain('Plan mode is on');
    }
  });
});

describe('paths', () => {
  it('R-17 outside of the workspace only a rule with a matching path allows', () => {
    expect(outcomes(read('/usr/include/a.h'), { allow: ['Read(/usr/include/**)'] })).toBe(
      'deny allow allow allow',
    );
    expect(outcomes(read('/home/ada/notes/a'), { allow: ['Read(~/notes/**)'] })).toBe(
      'deny allow allow allow',
    );
    expect(outcomes(read('/etc/passwd'), { allow: ['Read', 'Read(**)', 'Read(passwd)'] })).toBe(
      'deny ask ask ask',
    );
    expect(outcomes(edit('/usr/include/a.h'), { allow: ['Read(/usr/include/**)'] })).toBe(
      'deny ask ask ask',
    );
  });

  it('rules for edits apply to edits of every tool', () => {
    const rules = { allow: ['Edit(src/**)'], deny: ['Edit(src/generated)'] };
    expect(decide(edit('/work/src/a.ts'), policy('ask', rules)).outcome).toBe('allow');
    expect(decide(edit('/work/lib/a.ts'), policy('ask', rules)).outcome).toBe('ask');
    expect(decide(edit('/work/src/generated/a.ts'), policy('full', rules)).outcome).toBe('deny');
    const foreign: ToolRequest = { ...edit('/work/src/generated/a.ts'), tool: 'read_file' };
    expect(decide(foreign, policy('full', rules)).outcome).toBe('deny');
    const posing: ToolRequest = { ...edit('/work/a'), tool: 'read_file' };
    expect(decide(posing, policy('ask', { allow: ['Read'] })).outcome).toBe('ask');
    const moving: ToolRequest = { tool: 'move', kind: 'other', subject: path('/work/a') };
    expect(decide(moving, policy('ask', { allow: ['Read(a)'] })).outcome).toBe('ask');
    expect(decide(moving, policy('full', { deny: ['Read(a)'] })).outcome).toBe('deny');
  });

  it('a path that was not resolved is denied', () => {
    for (const at of ['a', '/work/../etc', '/work/./a', '/work//a', '', '/work/a/']) {
      expect(
        decide(
          { ...read('/'), subject: { ...path('/work/a'), path: at } as Subject },
          policy('full'),
        ).outcome,
      ).toBe('deny');
    }
  });

  it('an unknown home directory fails closed', () => {
    const { userHome: _, ...homeless } = policy('full', { deny: ['Read(~/x)'] });
    expect(decide(read('/work/a'), homeless).outcome).toBe('deny');
    const allowing = {
      ...homeless,
      rules: [{ source: 'config' as const, rules: { allow: ['Read(~/**)'] } }],
    };
    expect(decide(read('/home/ada/x'), allowing).outcome).toBe('ask');
  });
});

describe('a command that cannot be parsed', () => {
  it('R-39 matches no allow rule, asks and is marked', () => {
    const request = shell('echo $(');
    for (const mode of ['ask', 'auto-edit'] as const) {
      const decision = decide(
        request,
        policy(mode, { allow: ['Shell', 'Shell(*)', 'Shell(echo *)'] }),
      );
      expect(decision).toMatchObject({ outcome: 'ask', unparsable: true });
      expect(decision.suggestedRule).toBeUndefined();
    }
    expect(decide(request, policy('plan'))).toMatchObject({ outcome: 'deny', unparsable: true });
    expect(decide(request, policy('full'))).toMatchObject({ outcome: 'allow', unparsable: true });
    expect(decide(request, policy('full', { deny: ['Shell(rm *)'] }))).toMatchObject({
      outcome: 'ask',
      rule: 'Shell(rm *)',
      unparsable: true,
    });
    expect(decide(request, policy('full', { deny: ['Shell'] })).outcome).toBe('deny');
    expect(decide(shell('ls'), policy('ask')).unparsable).toBeUndefined();
  });
});

describe('other subjects', () => {
  it('hosts match exactly, and subdomains with a star', () => {
    const at = (host: string, rule: string) =>
      decide({ ...fetchPage, subject: { type: 'url', host } }, policy('ask', { allow: [rule] }))
        .outcome;
    expect(at('example.com', 'Fetch(domain:example.com)')).toBe('allow');
    expect(at('EXAMPLE.com.', 'Fetch(domain:example.com)')).toBe('allow');
    expect(at('evil-example.com', 'Fetch(domain:example.com)')).toBe('ask');
    expect(at('example.com.evil.net', 'Fetch(domain:example.com)')).toBe('ask');
    expect(at('a.example.com', 'Fetch(domain:*.example.com)')).toBe('allow');
    expect(at('example.com', 'Fetch(domain:*.example.com)')).toBe('ask');
    expect(at('a.example.com', 'Fetch')).toBe('allow');
  });

  it('MCP tools are named by server and tool', () => {
    const call: ToolRequest = {
      tool: 'shell',
      kind: 'other',
      subject: { type: 'mcp', server: 'github', tool: 'create_issue' },
    };
    const allowed = (rule: string) => decide(call, policy('ask', { allow: [rule] })).outcome;
    expect(
      ['Mcp(github:create_issue)', 'Mcp(github:*)', 'Mcp(github)', 'Mcp'].map(allowed),
    ).toEqual(['allow', 'allow', 'allow', 'allow']);
    expect(['Mcp(github:delete_*)', 'Mcp(git:*)', 'Shell', 'Mcp()'].map(allowed)).toEqual([
      'ask',
      'ask',
      'ask',
      'ask',
    ]);
  });

  it('tools without a subject are named by their own rule', () => {
    const send: ToolRequest = { tool: 'send_message', kind: 'speak', subject: { type: 'none' } };
    expect(outcomes(send, { deny: ['SendMessage'] })).toBe('deny deny deny deny');
    expect(outcomes(send, { ask: ['SendMessage'] })).toBe('ask ask ask ask');
    const create: ToolRequest = { tool: 'task_create', kind: 'other', subject: { type: 'none' } };
    expect(outcomes(create, { allow: ['TaskCreate'] })).toBe('deny allow allow allow');
  });
});

describe('broken rules', () => {
  it('fail closed', () => {
    expect(outcomes(shell('ls'), { deny: ["Shell(rm 'x)"] })).toBe('deny deny deny deny');
    expect(outcomes(shell('ls'), { deny: ['shell(rm *)'] })).toBe('deny deny deny deny');
    expect(outcomes(shell('ls'), { deny: ['Shell(rm'] })).toBe('deny deny deny deny');
    expect(outcomes(shell('ls'), { ask: ['Shell()'] })).toBe('deny ask ask ask');
    expect(outcomes(shell('ls'), { allow: ['Shell(', 'shell', 'Shell()', '*'] })).toBe(
      'deny ask ask allow',
    );
    expect(outcomes(read('/work/a'), { deny: ['Read(../x)'] })).toBe('deny deny deny deny');
    expect(outcomes(read('/work/a'), { deny: ['Shell(', 'Edit(..)'] })).toBe(
      'allow allow allow allow',
    );
    expect(outcomes(read('/work/a'), { deny: ['***'] })).toBe('deny deny deny deny');
    expect(decide(shell('ls'), policy('ask', { deny: ['Shell('] })).reason).toContain('broken');
  });
});

describe('the suggested rule', () => {
  const suggestion = (request: ToolRequest, allow: string[] = []) =>
    decide(request, policy('ask', { allow })).suggestedRule;

  it.each([
    ['git status -s', 'Shell(git status -s)'],
    ['ls -la src', 'Shell(ls -la src)'],
    ['ls $x', undefined],
    ['npm run test:unit -- --watch', 'Shell(npm run test:unit -- --watch)'],
    ['rm -rf build', 'Shell(rm -rf build)'],
    ["git commit -m 'it is done'", "Shell(git commit -m 'it is done')"],
    [`x "it's *"`, "Shell(x it\\'s\\ \\*)"],
    ['timeout 5 git diff', 'Shell(git diff)'],
    ['git diff --output=x', 'Shell(git diff --output=x)'],
    ['ls > x', undefined],
    ['A=b ls', undefined],
    ['$x', undefined],
    ['echo $(date)', undefined],
    ['rm $x', undefined],
    ['make && npm publish', undefined],
    ['ls; ls -a', undefined],
    ['ls; ls', 'Shell(ls)'],
    ['cd src', undefined],
    ['python3 - <<E\nprint(1)\nE', undefined],
    ['echo hi | cat', undefined],
    ['cat <<E\nhi\nE', 'Shell(cat)'],
    ['read x', undefined],
    ['sudo ls', undefined],
  ])('for the command %j is %j', (command, expected) => {
    expect(suggestion(shell(command))).toBe(expected);
  });

  it('covers the command that is not allowed yet', () => {
    expect(suggestion(shell('make && npm publish'), ['Shell(make)'])).toBe('Shell(npm publish)');
  });

  it('names exactly the subject', () => {
    expect(suggestion(edit('/work/src/a*.ts'))).toBe('Edit(./src/a\\*.ts)');
    expect(suggestion(read('/etc/hosts'))).toBe('Read(/etc/hosts)');
    expect(suggestion(fetchPage)).toBe('Fetch(domain:example.com)');
    expect(
      suggestion({ tool: 'x', kind: 'other', subject: { type: 'mcp', server: 's', tool: 't' } }),
    ).toBe('Mcp(s:t)');
    expect(suggestion({ tool: 'task_create', kind: 'other', subject: { type: 'none' } })).toBe(
      'TaskCreate',
    );
    expect(suggestion({ ...shell(''), subject: { type: 'none' } })).toBeUndefined();
    expect(
      decide(
        { tool: 'monitor', kind: 'execute', subject: { type: 'shell', command: 'tail -f x' } },
        policy('ask'),
      ).suggestedRule,
    ).toBe('Monitor(tail -f x)');
  });

  it('is absent if an ask rule would still ask', () => {
    expect(
      decide(shell('ls'), policy('ask', { ask: ['Shell(ls *)'] })).suggestedRule,
    ).toBeUndefined();
  });
});

const name = fc.constantFrom('a', 'b.ts', "it's", '*', 'x y', '\\', '~', '-r', '.', 'é');
const anySubject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({
    type: fc.constant('shell' as const),
    command: fc.oneof(
      fc.string(),
      fc.array(name).map((words) => words.join(' ')),
    ),
  }),
  fc.record({
    type: fc.constant('path' as const),
    path: fc.oneof(
      fc.string(),
      fc.array(name).map((names) => `/work/${names.join('/')}`),
    ),
    insideWorkspace: fc.boolean(),
    insideHome: fc.boolean(),
  }),
  fc.record({ type: fc.constant('url' as const), host: fc.oneof(fc.string(), fc.domain()) }),
  fc.record({ type: fc.constant('mcp' as const), server: fc.string(), tool: fc.string() }),
  fc.constant({ type: 'none' as const }),
);
const anyRequest: fc.Arbitrary<ToolRequest> = fc.record({
  tool: fc.oneof(fc.string(), fc.constantFrom('shell', 'read_file', 'edit_file', 'monitor')),
  kind: fc.constantFrom<ToolKind>(...KINDS),
  subject: anySubject,
});
const anyRule = fc.oneof(
  fc.string(),
  fc
    .tuple(fc.constantFrom('Shell', 'Read', 'Edit', 'Fetch', 'Mcp', 'Monitor', 'X'), fc.string())
    .map(([tool, inside]) => `${tool}(${inside})`),
  fc.constantFrom(
    'Shell',
    'Read',
    'Edit(**)',
    'Shell(a *)',
    'Read(~/**)',
    'Fetch(domain:*)',
    'Mcp(*)',
  ),
);
const anyRules: fc.Arbitrary<PermissionRules> = fc.record({
  deny: fc.array(anyRule, { maxLength: 3 }),
  ask: fc.array(anyRule, { maxLength: 3 }),
  allow: fc.array(anyRule, { maxLength: 3 }),
});

describe('every decision', () => {
  it('is made for every request and all rules', () => {
    fc.assert(
      fc.property(anyRequest, fc.constantFrom(...MODES), anyRules, (request, mode, rules) => {
        const decision = decide(request, policy(mode, rules));
        expect(decision.reason).not.toBe('');
        const subject = request.subject;
        if (subject.type === 'path' && subject.insideHome) expect(decision.outcome).toBe('deny');
      }),
      { numRuns: 1_000 },
    );
  });

  it('allows no more with another deny or ask rule, and no less with another allow rule', () => {
    const order = ['deny', 'ask', 'allow'];
    const rank = (request: ToolRequest, mode: PermissionMode, rules: PermissionRules) =>
      order.indexOf(decide(request, policy(mode, rules)).outcome);
    fc.assert(
      fc.property(
        anyRequest,
        fc.constantFrom(...MODES),
        anyRules,
        anyRule,
        (request, mode, rules, rule) => {
          const before = rank(request, mode, rules);
          expect(
            rank(request, mode, { ...rules, deny: [...(rules.deny ?? []), rule] }),
          ).toBeLessThanOrEqual(before);
          expect(
            rank(request, mode, { ...rules, ask: [...(rules.ask ?? []), rule] }),
          ).toBeLessThanOrEqual(before);
          expect(
            rank(request, mode, { ...rules, allow: [...(rules.allow ?? []), rule] }),
          ).toBeGreaterThanOrEqual(before);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('that suggests a rule allows the request with that rule', () => {
    fc.assert(
      fc.property(anyRequest, fc.constantFrom(...MODES), (request, mode) => {
        const { suggestedRule } = decide(request, policy(mode));
        if (suggestedRule === undefined) return;
        expect(decide(request, policy(mode, { allow: [suggestedRule] })).outcome).toBe('allow');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('protected paths', () => {
  it.each([
    ...['/work/.git/config', '/work/.git/hooks/pre-commit', '/work/vendor/lib/.git/config'],
    ...['/work/.stoa/agents/a.md', '/work/AGENTS.md', '/work/docs/CLAUDE.md', '/work/.mcp.json'],
    ...['/work/.vscode/tasks.json', '/work/.envrc', '/work/.husky/pre-commit', '/work/.bashrc'],
    ...['/work/.GIT/config', '/work/agents.md', '/work/.g\u200bit/config', '/work/GIT~1/config'],
  ])('SE-36 asks in every mode below full before %j is changed', (at) => {
    expect(outcomes(edit(at))).toBe('deny ask ask allow');
    expect(outcomes(read(at))).toBe('allow allow allow allow');
  });

  it('SE-36 asks before a change of a path that leads to a protected file under another name', () => {
    const subject = { ...path('/work/notes.txt'), isProtected: true } as Subject;
    expect(outcomes({ tool: 'write_file', kind: 'edit', subject })).toBe('deny ask ask allow');
    expect(
      outcomes({ tool: 'write_file', kind: 'edit', subject }, { allow: ['Edit(./notes.txt)'] }),
    ).toBe('deny ask ask allow');
  });

  it('SE-36 does not protect names that only resemble a protected one', () => {
    for (const at of [
      '/work/.github/x',
      '/work/agents.md.txt',
      '/work/git/config',
      '/work/.gitignore',
    ])
      expect(outcomes(edit(at))).toBe('deny ask allow allow');
  });

  it('SE-36 counts only the part below the workspace, which may itself be in such a directory', () => {
    const policyOf = (mode: PermissionMode): Policy => ({
      ...policy(mode),
      workspace: '/a/.stoa/w',
    });
    const request: ToolRequest = {
      tool: 'edit_file',
      kind: 'edit',
      subject: { type: 'path', path: '/a/.stoa/w/x', insideWorkspace: true, insideHome: false },
    };
    expect(decide(request, policyOf('auto-edit')).outcome).toBe('allow');
  });

  it.each([
    ['Edit', 'ask'],
    ['Edit(**)', 'ask'],
    ['Edit(.*/**)', 'ask'],
    ['Edit(.g?t/**)', 'ask'],
    ['Edit(config)', 'ask'],
    ['Edit(.git/**)', 'allow'],
    ['Edit(.git/config)', 'allow'],
    ['Edit(/work/.git/*)', 'allow'],
  ])('SE-36 an allow rule counts only if it names the path: %s', (rule, outcome) => {
    const decision = decide(edit('/work/.git/config'), policy('auto-edit', { allow: [rule] }));
    expect(decision.outcome).toBe(outcome);
    expect(decision.suggestedRule).toBeUndefined();
  });

  it('SE-36 a rule for one protected directory does not allow another one inside it', () => {
    const allow = ['Edit(.vscode/**)'];
    const decision = decide(edit('/work/.vscode/x/.git/config'), policy('ask', { allow }));
    expect(decision.outcome).toBe('ask');
  });
});
