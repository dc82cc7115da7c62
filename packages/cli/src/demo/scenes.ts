/** What the person says in the demonstration, and what it is to show. */
export interface Scene {
  readonly title: string;
  readonly says: string;
  /** What was decided here is explained at the end. */
  readonly isExplained?: boolean;
}

export const SCENES: readonly Scene[] = [
  {
    title: 'A greeting: one answers, the others have nothing to add',
    says: 'Hello! Who is here?',
  },
  {
    title: 'A request: handed over, done with tools, and a reaction instead of a third message',
    says: 'Could somebody build a birdhouse for the garden?',
    isExplained: true,
  },
  {
    title: 'Another request: this time the reviewer has a comment',
    says: 'Please write the release notes, without dates.',
  },
  {
    title: 'Called by name: only that agent is asked',
    says: '@reviewer, when do you keep quiet?',
  },
  { title: 'Thanks need no answer', says: 'Thanks, all of you!' },
];

/** True for every Stoa; the host of the lobby says the same. */
export const PLUG_IN: readonly (readonly [what: string, line: string])[] = [
  ['a model', 'OPENAI_API_KEY=… OPENAI_MODEL=… npm start, then: stoa channel invite lobby stoa'],
  ['an agent that speaks ACP', 'stoa agent put qwen --acp qwen && stoa channel invite lobby qwen'],
];
