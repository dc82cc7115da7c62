import { AgentDefinition } from '@stoa/protocol';

/** Somebody who is in the lobby from the first start on. */
export interface Resident {
  readonly agentId: string;
  readonly displayName: string;
  readonly role: string;
  readonly expertiseTags: readonly string[];
  readonly definition: AgentDefinition;
}

/** How a model or an agent program is brought in, in one line each. */
const PLUG_IN = [
  '- a model: `OPENAI_API_KEY=… OPENAI_MODEL=… npm start`, then `stoa channel invite lobby stoa`',
  '- an agent that speaks ACP: `stoa agent put qwen --acp qwen && stoa channel invite lobby qwen`',
] as const;
const plugIn = (indent: string): string => PLUG_IN.join(`\n${indent}`);

/** What somebody wants made; what it is stands in the second group. */
const REQUEST =
  '\\b(build|make|write|create|draw|fix|paint)\\b(?: me\\b| us\\b)? ([^.?!\\n]{1,120})';
const THANKS = '\\b(thanks|thank you|bye|goodbye|well done)\\b';

const HOST = `
turns:
  # Called back when the work is done, or behind somebody who has answered: nothing to add.
  - when: { answered: Builder }
    steps:
      - call: { tool: pass_turn, input: { reason: It is done; there is nothing to add } }
  - when: { addressed: false, answered: true }
    steps:
      - call: { tool: pass_turn, input: { reason: Somebody has answered } }
  - when: { matches: '${THANKS}' }
    steps:
      - wait: 300
        call: { tool: set_channel_reaction, input: { messageId: '\${message}', emoji: 👋 } }
  - when: { matches: '${REQUEST}' }
    steps:
      - wait: 300
        emit: 'That is a job for @builder: \${match.1} \${match.2}.'
      - wait: 400
  - when: { matches: '\\b(model|provider|key|acp|agents?|plug|real|openai|claude|qwen|ollama)\\b' }
    steps:
      - wait: 300
        emit: |-
          We are scripts. In one line each you bring in
          ${plugIn('          ')}
      - wait: 400
  - when: { matches: '\\b(hello|hi|hey|good (?:morning|evening|day)|who|help|what can)\\b' }
    steps:
      - wait: 300
        emit: |-
          Hello, \${from}. I am the host here: a script that came with Stoa, as the builder and the reviewer are.
          Ask for something to be made ("build a birdhouse"), ask one of us by name ("reviewer, what do you look for?"), or ask how to plug in a model.
      - wait: 400
otherwise:
  - wait: 300
    emit: |-
      I am a script and know only a few words: hello, build, model, thanks. Whoever understands more can be brought in, in one line:
      ${plugIn('      ')}
  - wait: 400
`;

const BUILDER = `
turns:
  # What nobody asked of it is left to the others.
  - when: { addressed: false }
    steps:
      - call: { tool: pass_turn, input: { reason: Nobody asked me to build something } }
  - when: { matches: '${REQUEST}' }
    steps:
      - wait: 300
        call: { tool: read_channel_thread, input: { limit: 5 } }
      - wait: 300
        call:
          tool: remember
          input: { text: '\${from} asked for this: \${match.1} \${match.2}' }
      - emit: |-
          Done, as far as a script can \${match.1} \${match.2}: I read the thread and wrote it down in the notes of this channel.
          @reviewer, please have a look. @host, that was it.
      - wait: 400
  - when: { matches: '${THANKS}' }
    steps:
      - wait: 300
        call: { tool: set_channel_reaction, input: { messageId: '\${message}', emoji: 🔨 } }
otherwise:
  - wait: 300
    emit: 'I am a script that builds, with a tool or two. Tell me what: "@builder build a birdhouse".'
  - wait: 400
`;

const REVIEWER = `
turns:
  - when: { answered: Builder, matches: '\\b(without|no|skip|untested)\\b' }
    steps:
      - wait: 300
        emit: 'I read "\${input}" and cannot let that pass in silence: what is left out on purpose comes back by accident. Otherwise it is fine.'
      - wait: 400
  # Where agreeing is all there is to say, a reaction says it.
  - when: { answered: Builder }
    steps:
      - wait: 300
        call: { tool: set_channel_reaction, input: { messageId: '\${last.message}', emoji: ✅ } }
  - when: { addressed: true, matches: '${THANKS}' }
    steps:
      - wait: 300
        call: { tool: set_channel_reaction, input: { messageId: '\${message}', emoji: 👀 } }
  - when: { addressed: true }
    steps:
      - wait: 300
        emit: I am a script that looks at what was built. If it is fine I react; if something is missing I say so; otherwise I keep quiet.
      - wait: 400
otherwise:
  - call: { tool: pass_turn, input: { reason: There is nothing to review } }
`;

const resident = (
  about: Omit<Resident, 'definition'> & { readonly script: string; readonly description: string },
): Resident => {
  const { script, description, ...rest } = about;
  const { displayName } = about;
  // Reading and speaking is all they need.
  const driver = { kind: 'script', script };
  const definition = AgentDefinition.parse({ displayName, description, driver, mode: 'plan' });
  return { ...rest, definition };
};

/**
 * Who is in the lobby of a first start. They are scripts and say so, and take part as any agent does:
 * what they are given to say is decided by the turns of the channel.
 */
export const RESIDENTS: readonly [Resident, Resident, Resident] = [
  resident({
    agentId: 'host',
    displayName: 'Host',
    role: 'reception',
    // What is asked of nobody in particular comes to the host first, who knows whose it is.
    expertiseTags:
      'hello hi hey help who thanks bye model build make write create draw fix paint agent agents acp'.split(
        ' ',
      ),
    description: 'Greets, answers and hands over. A script, for the first start.',
    script: HOST,
  }),
  resident({
    agentId: 'builder',
    displayName: 'Builder',
    role: 'workshop',
    expertiseTags: ['tools'],
    description: 'Uses a tool and reports. A script, for the first start.',
    script: BUILDER,
  }),
  resident({
    agentId: 'reviewer',
    displayName: 'Reviewer',
    role: 'quality',
    expertiseTags: ['review'],
    description: 'Reacts, objects or keeps quiet. A script, for the first start.',
    script: REVIEWER,
  }),
];

/** What the host says when the lobby is opened. */
export const WELCOME = `\
Welcome. This is the lobby: I am the host, and with me are the builder and the reviewer. All three of us are scripts that came with Stoa, no model is asked; but who speaks is decided as it is for any agent. Say hello, or ask us to build something.

In one line each you bring in
${plugIn('')}`;
