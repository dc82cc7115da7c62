import { AgentDefinition } from '@stoa/protocol';

/** An agent in the lobby of a new daemon. */
export interface Resident {
  readonly agentId: string;
  readonly displayName: string;
  readonly role: string;
  readonly expertiseTags: readonly string[];
  readonly definition: AgentDefinition;
}

/** How to add a model or an agent program. */
const PLUG_IN = [
  '- a model: `OPENAI_API_KEY=… OPENAI_MODEL=… npm start`, then `stoa channel invite lobby stoa`',
  '- an agent that speaks ACP: `stoa agent put qwen --acp qwen && stoa channel invite lobby qwen`',
] as const;
const plugIn = (indent: string): string => PLUG_IN.join(`\n${indent}`);

/** A request to make something, which is the second group. */
const REQUEST =
  '\\b(build|make|write|create|draw|fix|paint)\\b(?: me\\b| us\\b)? ([^.?!\\n]{1,120})';
const THANKS = '\\b(thanks|thank you|bye|goodbye|well done)\\b';

const HOST = `
turns:
  # Another agent has answered.
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
          We are scripts. One line each adds
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
      I am a script and know only a few words: hello, build, model, thanks. One line adds an agent that understands more:
      ${plugIn('      ')}
  - wait: 400
`;

const BUILDER = `
turns:
  # It builds only when it is addressed.
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
        emit: 'I read "\${input}" and object: what is left out on purpose will be missed later. Otherwise it is fine.'
      - wait: 400
  # It agrees with a reaction instead of a message.
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
        emit: I am a script that reviews what was built. If it is fine I react; if something is missing I object; otherwise I stay silent.
      - wait: 400
otherwise:
  - call: { tool: pass_turn, input: { reason: There is nothing to review } }
`;

const resident = (
  about: Omit<Resident, 'definition'> & { readonly script: string; readonly description: string },
): Resident => {
  const { script, description, ...rest } = about;
  const { displayName } = about;
  // Plan mode is enough for reading and answering.
  const driver = { kind: 'script', script };
  const definition = AgentDefinition.parse({ displayName, description, driver, mode: 'plan' });
  return { ...rest, definition };
};

/** The agents in the lobby of a new daemon: scripts that introduce themselves as such and get turns like any agent. */
export const RESIDENTS: readonly [Resident, Resident, Resident] = [
  resident({
    agentId: 'host',
    displayName: 'Host',
    role: 'reception',
    // A message that addresses nobody goes to the host, who passes it on.
    expertiseTags:
      'hello hi hey help who thanks bye model build make write create draw fix paint agent agents acp'.split(
        ' ',
      ),
    description: 'Greets, answers and delegates. A script, for the first start.',
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
    description: 'Reacts, objects or stays silent. A script, for the first start.',
    script: REVIEWER,
  }),
];

/** The first message of the lobby. */
export const WELCOME = `\
Welcome. This is the lobby: I am the host, and with me are the builder and the reviewer. All three of us are scripts that came with Stoa, no model is asked; we take turns like any agent. Say hello, or ask us to build something.

One line each adds
${plugIn('')}`;
