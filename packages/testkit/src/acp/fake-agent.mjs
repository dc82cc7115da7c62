#!/usr/bin/env node
// An agent program for tests. It speaks ACP on its own few lines, so that it can also speak it wrongly.
// It follows every line of the current prompt that begins with `!`.
//
//   !say TEXT            says it, in two chunks          !exit CODE     ends
//   !usage IN OUT        reports usage                   !hang          does not end its turn, nor cancels it
//   !deaf                answers nothing any more        !garbage N     prints N lines that are no messages
//   !flood               prints without end              !long BYTES    prints one line of that length
//   !unknown             sends methods nobody knows      !stop REASON   ends the turn with this reason
//   !tool ID KIND JSON   calls a tool without asking     !ask ID KIND JSON  asks first
//   !begin ID KIND JSON  calls one that does not end
//   !form ID KIND        tells only that a call is to come
//   !request ID KIND JSON [while JSON]  asks and reports nothing then, or other arguments before the answer
//   !read PATH  !write PATH TEXT   through the client    !mode ID       changes its mode
//   !wait                until it is cancelled           !fail TEXT     answers with an error
//   !child               leaves a process behind, in a session of its own
//   !env                 says its environment            !echo          says what it was prompted
//   !malformed           answers what the protocol does not know
//   !mcp TOOL JSON       calls a tool of Stoa's own MCP server; `%m` is the first message of the prompt
//   !report JSON         reports a call as it is written     !permit JSON   asks for permission for such a call
//   !permitted JSON      the same, and says nothing of the answer
//   !think MS            sends a thought ten times a second for so long
//
//   !run COMMAND         runs it without asking, and does not end it when it is cancelled
//   !raw JSON            sends an update as it is written    !once VERB …   the first time in all only
//   !pause MS            waits                               !until FILE    waits until it exists
//
// `%n` stands for the number of the prompt, `%s` for the name of Stoa's own MCP server.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const options = JSON.parse(process.env.FAKE_AGENT ?? '{}');
const log = (entry) => options.log && appendFileSync(options.log, `${JSON.stringify(entry)}\n`);
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** In a sandbox every process may have the same number. */
const NONCE = randomBytes(6).toString('hex');
const sessions = new Map();
const waiting = new Map();
let requests = 0;
let isDeaf = false;

const stored = () =>
  options.store && existsSync(options.store) ? JSON.parse(readFileSync(options.store, 'utf8')) : {};
const remember = (id, history) => {
  if (options.store) writeFileSync(options.store, JSON.stringify({ ...stored(), [id]: history }));
};

const ask = (method, params) =>
  new Promise((resolve) => {
    requests += 1;
    const id = `r${requests}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

const settings = () => ({
  modes: {
    currentModeId: options.mode ?? 'default',
    availableModes: ['default', 'yolo'].map((id) => ({ id, name: id })),
  },
  ...(options.models
    ? {
        configOptions: [
          {
            id: 'model',
            name: 'Model',
            category: 'model',
            type: 'select',
            currentValue: options.models[0],
            options: options.models.map((value) => ({ value, name: value })),
          },
        ],
      }
    : {}),
});

class Fault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const sessionOf = (id) => {
  const session = sessions.get(id);
  if (!session) throw new Fault(-32002, 'Resource not found');
  return session;
};

const methods = {
  async initialize() {
    if (options.start === 'exit') {
      console.error('the fake agent does not start');
      process.exit(3);
    }
    if (options.start === 'hang') await new Promise(() => {});
    if (options.start === 'noise') process.stdout.write('Welcome!\nWARNING: this is no message\n');
    return {
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: options.store !== undefined,
        mcpCapabilities: { http: true },
        promptCapabilities: { image: true },
        ...(options.closes ? { sessionCapabilities: { close: {} } } : {}),
      },
    };
  },
  'session/new': ({ cwd, mcpServers }) => {
    if (options.login) throw new Fault(-32000, 'Authentication required');
    const id = `fake-${NONCE}-${sessions.size + 1}`;
    sessions.set(id, { prompts: [], history: [], cancel: () => {}, mcpServers });
    log({ type: 'new', id, cwd, mcpServers });
    return { sessionId: id, ...settings() };
  },
  'session/load': ({ sessionId, mcpServers }) => {
    const history = options.isForgetful ? [] : stored()[sessionId];
    if (!history) throw new Fault(-32002, 'Resource not found');
    const prompts = history.filter(({ role }) => role === 'user').map((entry) => entry.text);
    sessions.set(sessionId, { prompts, history, cancel: () => {}, mcpServers });
    log({ type: 'load', id: sessionId, mcpServers });
    const replay = ({ role, text: words }) =>
      update(sessionId, { sessionUpdate: `${role}_message_chunk`, content: text(words) });
    const [first, ...rest] = history;
    if (options.replay !== 'late') for (const entry of history) replay(entry);
    else if (first) {
      replay(first);
      const goOn = () => {
        const next = rest.shift();
        if (!next) return;
        replay(next);
        setTimeout(goOn, 20);
      };
      // Long enough for a busy machine to hear the answer first.
      setTimeout(goOn, 500);
    }
    return settings();
  },
  'session/close': ({ sessionId }) => {
    log({ type: 'close', id: sessionId });
    sessions.delete(sessionId);
    return {};
  },
  'session/set_mode': ({ sessionId, modeId }) => {
    log({ type: 'set_mode', id: sessionId, modeId });
    return {};
  },
  'session/set_config_option': ({ sessionId, configId, value }) => {
    log({ type: 'set_config_option', id: sessionId, configId, value });
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => play(sessionId, prompt),
};

const text = (words) => ({ type: 'text', text: words });
const update = (sessionId, change) =>
  send({ method: 'session/update', params: { sessionId, update: change } });
const say = (sessionId, words) => {
  const { history } = sessionOf(sessionId);
  history.push({ role: 'agent', text: words });
  remember(sessionId, history);
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: text(words) });
};

async function play(sessionId, prompt) {
  const session = sessionOf(sessionId);
  const text = prompt.map((block) => block.text ?? `[${block.type}]`).join('\n');
  session.prompts.push(text);
  if (!options.forgetsPrompts) session.history.push({ role: 'user', text });
  remember(sessionId, session.history);
  log({ type: 'prompt', id: sessionId, prompt });
  const cancelled = new Promise((resolve) => {
    session.cancel = () => resolve('cancelled');
  });
  let stopReason = 'end_turn';
  // The prompt of a turn in a channel also contains earlier messages, which are not instructions.
  const asked = text
    .split('# What is asked now\n')
    .at(-1)
    .split(/You answer this, from .*:\n/)
    .at(-1);
  for (const line of asked.split('\n')) {
    const own = ownServer(sessionId)?.name ?? 'none';
    const numbered = line.replaceAll('%n', session.prompts.length).replaceAll('%s', own);
    const [, verb, rest = ''] = /^!(\w+) ?(.*)$/.exec(numbered) ?? [];
    if (!verb) continue;
    const done = await Promise.race([act(sessionId, verb, rest), cancelled]);
    if (done === 'cancelled') return { stopReason: 'cancelled' };
    if (done?.stop) stopReason = done.stop;
    if (done?.answer) return done.answer;
  }
  return { stopReason };
}

const ownServer = (id) =>
  sessionOf(id).mcpServers.find(({ name }) => /^stoa[0-9a-f]{16}$/.test(name));

const deeds = {
  report: (id, json) => update(id, { sessionUpdate: 'tool_call_update', ...JSON.parse(json) }),
  permitted: async (id, json) => void (await permission(id, JSON.parse(json))),
  async permit(id, json) {
    say(id, (await permission(id, JSON.parse(json))) ? 'allowed' : 'rejected');
  },
  say(id, words) {
    const middle = Math.ceil(words.length / 2);
    for (const part of [words.slice(0, middle), words.slice(middle)]) if (part) say(id, part);
  },
  async think(id, milliseconds) {
    const end = Date.now() + Number(milliseconds);
    while (Date.now() < end) {
      update(id, { sessionUpdate: 'agent_thought_chunk', content: text('hm ') });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  },
  usage(id, rest) {
    const [inputTokens, outputTokens] = rest.split(' ').map(Number);
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    update(id, { sessionUpdate: 'agent_message_chunk', content: text(''), _meta: { usage } });
  },
  exit(_, code) {
    console.error('the fake agent gives up');
    process.exit(Number(code));
  },
  pause: (_, milliseconds) => new Promise((resolve) => setTimeout(resolve, Number(milliseconds))),
  async until(_, file) {
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  },
  once(id, rest) {
    const file = `${options.log}.${createHash('sha256').update(rest).digest('hex').slice(0, 8)}`;
    if (existsSync(file)) return undefined;
    writeFileSync(file, '');
    const [verb, ...more] = rest.split(' ');
    return act(id, verb, more.join(' '));
  },
  raw: (id, json) => update(id, JSON.parse(json)),
  run(id, command) {
    const call = { toolCallId: 'run', kind: 'execute', title: 'Shell', rawInput: { command } };
    update(id, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
    const env = options.clearsEnvironment ? { PATH: process.env.PATH } : process.env;
    spawn('bash', ['-c', command], { detached: true, stdio: 'ignore', env });
    return new Promise(() => {});
  },
  hang(id) {
    sessionOf(id).cancel = () => {};
    return new Promise(() => {});
  },
  wait: () => new Promise(() => {}),
  deaf(id) {
    isDeaf = true;
    return deeds.hang(id);
  },
  garbage(_, count) {
    for (let line = 0; line < Number(count); line++) process.stdout.write(`garbage ${line}\n`);
    return new Promise(() => {});
  },
  async flood(id) {
    for (;;) {
      say(id, 'flood');
      if (process.stdout.writableNeedDrain)
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  long(_, bytes) {
    process.stdout.write(`${'x'.repeat(Number(bytes))}\n`);
    return new Promise(() => {});
  },
  async unknown(id) {
    send({ method: '_fake/notice', params: { sessionId: id } });
    update(id, { sessionUpdate: 'from_the_future', anything: true });
    update(id, { sessionUpdate: 'tool_call', nothing: 'that is known' });
    for (const method of ['_fake/question', 'terminal/create', 'elicitation/create']) {
      log({ type: 'answer', method, answer: await ask(method, { sessionId: id }) });
    }
  },
  stop: (_, stop) => ({ stop }),
  malformed: () => ({ answer: { nothing: true } }),
  fail(_, words) {
    throw new Fault(-32603, words);
  },
  tool(id, rest) {
    const call = callOf(rest);
    update(id, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
    update(id, {
      sessionUpdate: 'tool_call_update',
      toolCallId: call.toolCallId,
      status: 'completed',
      content: [{ type: 'content', content: text(`result of ${call.toolCallId}`) }],
    });
  },
  begin: (id, rest) =>
    update(id, { sessionUpdate: 'tool_call', ...callOf(rest), status: 'in_progress' }),
  form(id, rest) {
    const { toolCallId, kind, title } = callOf(rest);
    update(id, { sessionUpdate: 'tool_call', toolCallId, kind, title, status: 'pending' });
  },
  async request(id, rest) {
    const [asked, other] = rest.split(' while ');
    const call = callOf(asked);
    const { toolCallId } = call;
    const answer = permission(id, call);
    if (other) {
      const rawInput = JSON.parse(other);
      update(id, { sessionUpdate: 'tool_call_update', toolCallId, rawInput });
    }
    say(id, (await answer) ? 'allowed' : 'rejected');
  },
  async ask(id, rest) {
    const call = callOf(rest);
    const isAllowed = await permission(id, { ...call, status: 'pending' });
    update(id, {
      sessionUpdate: 'tool_call_update',
      toolCallId: call.toolCallId,
      status: isAllowed ? 'completed' : 'failed',
      content: [{ type: 'content', content: text(isAllowed ? 'it ran' : 'it did not run') }],
    });
    say(id, isAllowed ? 'allowed' : 'rejected');
  },
  async read(id, path) {
    const { result, error } = await ask('fs/read_text_file', { sessionId: id, path });
    say(id, result ? `read: ${result.content}` : `error: ${error.message}`);
  },
  async write(id, rest) {
    const [path, ...words] = rest.split(' ');
    const content = words.join(' ');
    const { error } = await ask('fs/write_text_file', { sessionId: id, path, content });
    say(id, error ? `error: ${error.message}` : 'written');
  },
  mode: (id, modeId) => update(id, { sessionUpdate: 'current_mode_update', currentModeId: modeId }),
  async mcp(id, rest) {
    const messageId = /msg_[0-9a-z]{26}/.exec(sessionOf(id).prompts.at(-1))?.[0] ?? '';
    const [name, ...json] = rest.replaceAll('%m', messageId).split(' ');
    const { url, headers } = ownServer(id);
    const response = await globalThis.fetch(url, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(headers.map((header) => [header.name, header.value])),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: JSON.parse(json.join(' ') || '{}') },
      }),
    });
    log({ type: 'mcp', name, answer: await response.text() });
  },
  env: (id) => say(id, JSON.stringify(process.env)),
  echo: (id) => say(id, sessionOf(id).prompts.at(-1)),
  child() {
    spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
  },
};

async function permission(sessionId, toolCall) {
  const kinds = options.permissions ?? ['allow_always', 'allow_once', 'reject_once'];
  const { result } = await ask('session/request_permission', {
    sessionId,
    toolCall,
    options: kinds.map((kind) => ({ optionId: `option_${kind}`, name: kind, kind })),
  });
  log({ type: 'permission', outcome: result?.outcome });
  return /allow/.test(result?.outcome?.optionId ?? '');
}

function callOf(rest) {
  const [toolCallId, kind, ...json] = rest.split(' ');
  const rawInput = JSON.parse(json.join(' ') || '{}');
  const path = rawInput.file_path;
  const locations = path ? [{ path }] : [];
  return { toolCallId, kind, title: `${kind} ${toolCallId}`, rawInput, locations };
}

async function act(id, verb, rest) {
  const deed = deeds[verb];
  if (!deed) throw new Fault(-32602, `there is no !${verb}`);
  return deed(id, rest);
}

async function serve({ id, method, params }) {
  if (method === undefined || isDeaf) return;
  if (method === 'session/cancel') {
    log({ type: 'cancel', id: params.sessionId });
    sessions.get(params.sessionId)?.cancel();
    return;
  }
  const handler = methods[method];
  try {
    if (!handler) {
      log({ type: 'unknown', method });
      throw new Fault(-32601, `Method not found: ${method}`);
    }
    send({ id, result: await handler(params) });
  } catch (error) {
    send({ id, error: { code: error.code ?? -32603, message: error.message } });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined && waiting.has(message.id)) {
    waiting.get(message.id)(message);
    waiting.delete(message.id);
  } else void serve(message);
});
if (options.ignoresTerm) process.on('SIGTERM', () => {});
// It outlives its pipes, so the process that starts it has to end it.
setInterval(() => {}, 60_000);
