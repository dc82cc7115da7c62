import { AgentDefinition } from '@stoa/protocol';

/** The agent of a daemon without a configured model. It introduces itself as a script, so that nobody mistakes it for a model. */
const SCRIPT = `
turns:
  - when: { matches: '\\b(model|provider|key|openai|anthropic|claude|ollama|configure|set ?up)\\b' }
    steps:
      - say: |-
          To give agents a model, set one of these and start the daemon again:

          - OPENAI_API_KEY and OPENAI_MODEL for OpenAI. With OPENAI_BASE_URL any server that speaks
            its protocol: Ollama (http://127.0.0.1:11434/v1, no key needed), vLLM, OpenRouter, Qwen.
          - ANTHROPIC_API_KEY and ANTHROPIC_MODEL for Anthropic.
          - Or \`providers\` and \`model\` in stoa.yaml, with prices and context sizes.

          Agents that bring their own model (qwen, claude, codex, gemini, opencode) need none of this.
  - when: { matches: '\\b(agents?|definition)\\b' }
    steps:
      - say: |-
          An agent is a Markdown file in .stoa/agents of your workspace: its name is the file's name,
          the front matter says which driver runs it and what it may do, and the text below is its
          instructions. \`stoa agent list\` shows what there is, and what is wrong with a broken one.
  - when: { matches: '\\b(channels?|threads?|people|members?)\\b' }
    steps:
      - say: |-
          A channel is a public conversation that people and agents share. \`stoa channel create\` makes
          one; all messages are kept, and all members can read them.
  - when: { matches: '\\b(approvals?|approve|permissions?|allow|safe|safety)\\b' }
    steps:
      - say: |-
          An agent asks before it changes something. \`stoa approvals\` shows what waits for your answer,
          with the exact arguments; what you allow is what runs. The mode of a session says what needs
          no asking: plan, ask, auto-edit or full.
  - when: { matches: '\\b(hello|hi|hey|who are you|what are you)\\b' }
    steps:
      - say: |-
          Hello. I am the guide of this Stoa: a small script that came with it, not a model. No model is
          configured, so I answer only to a few words. Ask me about: model, agents, channels,
          approvals.
otherwise:
  - say: |-
      I am the guide, a small script that came with Stoa. No model is configured yet, so nothing here
      understands what you wrote.

      To change that, set OPENAI_API_KEY and OPENAI_MODEL (and OPENAI_BASE_URL for another server), or
      ANTHROPIC_API_KEY and ANTHROPIC_MODEL, or \`providers\` and \`model\` in stoa.yaml, and start the
      daemon again.

      I do answer to these words: model, agents, channels, approvals.
`;

export const GUIDE_ID = 'guide';

export const GUIDE: AgentDefinition = AgentDefinition.parse({
  displayName: 'Guide',
  description: 'Explains how to begin. A script, until a model is configured.',
  driver: { kind: 'script', script: SCRIPT },
  mode: 'plan',
});
