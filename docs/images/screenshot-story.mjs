// What the pictures of the web UI show: a daemon as it is after its first start, in whose lobby two people
// talk to the residents, and a scripted agent that works and asks. No model, no key, no network.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const LOBBY = '/v1/channels/lobby';

const QUESTION = `Since Tuesday this takes four seconds. Does anybody see why?

\`\`\`sql
select channel_id, count(*) from messages
where posted_at > :since -- no index on it
group by channel_id;
\`\`\``;

const FILES = {
  'build.sh': `for step in compile link test package; do
  for part in 1 2 3 4 5; do echo "$step: part $part of 5"; done
done
echo "waiting for changes"
exec sleep 900
`,
  'queue.sh': 'echo "queue: 12 waiting"; exec sleep 900\n',
  'CHANGES.md': `# 0.2.0

Threads are kept when a channel is archived.
Uploads may be 10 MB.
`,
};

const WORKER = {
  turns: [
    {
      when: { contains: 'build' },
      steps: [
        { call: { tool: 'shell', input: { command: 'bash build.sh', is_background: true } } },
        { say: 'It builds; I get a notice when it ends.' },
      ],
    },
    {
      when: { contains: 'watch' },
      steps: [
        { call: { tool: 'monitor', input: { command: 'bash queue.sh' } } },
        { say: 'I look after the queue.' },
      ],
    },
    {
      when: { contains: 'notes' },
      steps: [
        {
          call: {
            tool: 'edit_file',
            input: { path: 'CHANGES.md', old_string: 'be 10 MB.', new_string: 'be 25 MB.' },
          },
        },
        { say: 'The notes are right now.' },
      ],
    },
    {
      when: { contains: 'publish' },
      steps: [
        { call: { tool: 'shell', input: { command: 'git push origin v0.2.0' } } },
        { say: 'It is out.' },
      ],
    },
  ],
};

/** Plays the story. The result names what to show, and ends everything. */
export async function playStory({ startDaemon, callerOf, until }) {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-release-'));
  for (const [name, text] of Object.entries(FILES)) {
    fs.writeFileSync(path.join(workspace, name), text);
  }
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-'));
  const daemon = await startDaemon({ home, env: { STOA_LOBBY: 'auto' } });
  const owner = callerOf(daemon.url, daemon.token);
  const sessions = [];
  const end = async () => {
    // Commands in the background outlive a daemon.
    for (const { sessionId } of sessions) await owner.post(`/v1/sessions/${sessionId}/tasks/stop`);
    await daemon.cleanUp();
    fs.rmSync(workspace, { recursive: true, force: true });
  };

  const say = async (caller, body) => must(await caller.post(`${LOBBY}/messages`, body));
  const overIn = (messageId) =>
    until('the turn is over', async () => {
      const { json } = await owner.get(`${LOBBY}/threads/${messageId}/decisions`);
      return json.decisions[0]?.turn.outcome !== undefined;
    });
  const ask = async (caller, text) => {
    const message = await say(caller, { text });
    await overIn(message.messageId);
    return message;
  };
  const work = async (agentId, title, text) => {
    const body = { agentId, workspace, title };
    const session = must(await owner.post('/v1/sessions', body));
    sessions.push(session);
    return must(await owner.post(`/v1/sessions/${session.sessionId}/inbox`, { text }));
  };
  const ended = ({ runId }) =>
    until('the run has ended', async () => {
      const { json } = await owner.get(`/v1/runs/${runId}`);
      return json.endedAt !== undefined;
    });

  try {
    const { token } = must(await owner.post('/v1/tokens', { humanId: 'ada', name: 'laptop' }));
    const ada = callerOf(daemon.url, token);
    must(await ada.post(`${LOBBY}/members`, { displayName: 'Ada' }));
    await ask(ada, 'Hello! Who is here?');
    const plan = await ask(owner, 'write a plan for the release without dates');
    const { json } = await owner.get(`${LOBBY}/messages?threadRootMessageId=${plan.messageId}`);
    const [objection] = json.messages.filter(({ author }) => author.displayName === 'Reviewer');
    for (const caller of [owner, ada]) {
      must(
        await caller.post(`${LOBBY}/messages/${objection.messageId}/reactions`, { emoji: '👍' }),
      );
    }
    await say(ada, {
      text: 'Fair. **Thursday** then, and `0.2.0` only if the build is green.',
      replyToMessageId: objection.messageId,
      addressedMemberIds: ['owner'],
    });
    await ask(ada, 'build a birdhouse');
    await say(ada, { text: QUESTION, addressedMemberIds: ['owner'] });

    const driver = { kind: 'script', script: JSON.stringify(WORKER) };
    const about = { displayName: 'Worker', driver };
    must(await owner.put('/v1/agents/worker', { ...about, mode: 'full' }));
    must(await owner.put('/v1/agents/clerk', { ...about, displayName: 'Clerk', mode: 'ask' }));
    await ended(await work('worker', 'Nightly build', 'build it'));
    await ended(await work('worker', 'Queue', 'watch the queue'));
    await work('clerk', 'Release notes', 'correct the notes');
    await work('clerk', 'Release', 'publish it');
    await until('two things wait for an answer', async () => {
      const { json: found } = await owner.get('/v1/approvals?state=pending');
      return found.approvals.length === 2;
    });
    return { daemon, thread: `/c/lobby/m/${plan.messageId}`, end };
  } catch (error) {
    await end();
    throw error;
  }
}

function must({ status, json, text }) {
  if (status >= 400) throw new Error(`The story cannot be played: ${text}`);
  return json;
}
