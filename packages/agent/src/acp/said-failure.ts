/** A line that a program writes about itself, not its model. */
const NOTICE = /^(?:api )?(?:error|info|warning):/i;
const ERROR = /^(?:api )?error:/i;
/** What providers and programs say when a model does not answer. */
const TROUBLE = new RegExp(
  [
    '\\b[45]\\d\\d\\b',
    'unauthori[sz]ed|forbidden|api[ _-]?key|authenticat',
    'rate.?limit|too many requests|quota|overloaded|capacity',
    'internal server error|service unavailable|bad gateway',
    'connection|network|timed? ?out|request failed|fetch failed',
    'model\\b.*\\b(?:not|unknown|unsupported)',
  ].join('|'),
  'i',
);
const API_ERROR = /^api error:? \d{3}\b/i;
const MOST_LINES = 20;

/**
 * What a program says of the failure of its model where it says it in place of an answer; undefined when
 * the text is an answer. Every line has to be a notice, and one has to be about such a failure: an agent
 * may well answer with the words of an error.
 */
export function failureIn(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = ''] = lines;
  if (API_ERROR.test(first)) return lines.join(' ');
  if (lines.length > MOST_LINES || !lines.every((line) => NOTICE.test(line))) return undefined;
  const isFailure = lines.some((line) => ERROR.test(line) && TROUBLE.test(line));
  return isFailure ? lines.join(' ') : undefined;
}

/** How programs report as an error that their model wrote nothing. */
const EMPTY =
  /empty (?:response|answer|stream|message|text)|(?:response|answer) (?:is|was) empty|no (?:response text|content) /i;

export const saysNothing = (words: string): boolean => EMPTY.test(`${words} `);
