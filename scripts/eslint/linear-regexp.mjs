// Refuses two kinds of slow expressions that eslint-plugin-regexp does not find: slow parts inside a lookaround, and a start of
// several characters that the quantifier after it matches too. For `<title[^>]*>` the text `<title <title <title …` is read
// to its end from each `<title`.
import { RegExpParser } from '@eslint-community/regexpp';
import { isPotentiallyEmpty, toUnicodeSet } from 'regexp-ast-analysis';
import { analyse } from 'scslre';

export default {
  meta: {
    type: 'problem',
    docs: { description: 'refuse regular expressions that take more than linear time' },
    schema: [],
    messages: {
      lookaround: "'{{part}}' in a lookaround takes more than linear time.",
      restart: "Each '{{start}}' begins a new search through '{{part}}': use indexOf, or bound it.",
    },
  },
  create(context) {
    return {
      'Literal[regex]'(node) {
        const { pattern, flags } = node.regex;
        for (const { messageId, data } of problemsOf(pattern, flags)) {
          context.report({ node, messageId, data });
        }
      },
    };
  },
};

function problemsOf(source, flags) {
  const unicode = flags.includes('u');
  const unicodeSets = flags.includes('v');
  const options = { unicode, unicodeSets };
  const tree = new RegExpParser().parsePattern(source, 0, source.length, options);
  const set = {
    ...Object.fromEntries(['global', 'multiline', 'sticky'].map((name) => [name, false])),
    ignoreCase: flags.includes('i'),
    dotAll: flags.includes('s'),
    unicode,
    unicodeSets,
  };
  const found = [];
  const visit = (alternatives, isTop) => {
    for (const { elements } of alternatives) {
      if (isTop && !flags.includes('y')) found.push(...restarts(elements, set));
      for (const element of elements) {
        if (element.type === 'Group' || element.type === 'CapturingGroup') {
          visit(element.alternatives, isTop && elements[0] === element);
        }
        if (element.type !== 'Assertion' || !('alternatives' in element)) continue;
        const body = element.alternatives.map(({ raw }) => raw).join('|');
        if (isSlow(body, flags)) found.push({ messageId: 'lookaround', data: { part: body } });
      }
    }
  };
  visit(tree.alternatives, true);
  return found;
}

function isSlow(body, flags) {
  try {
    const { reports } = analyse({ source: `^(?:${body})$(?!)`, flags: flags.replace(/[gy]/g, '') });
    return reports.some(({ type }) => type !== 'Move');
  } catch {
    // It refers to a group outside the lookaround, and cannot be analysed alone.
    return false;
  }
}

/** Fixed characters at the start, all of which the first unbounded quantifier matches, followed by an end that may be missing. */
function restarts(elements, flags) {
  const at = elements.findIndex(({ type }) => type === 'Quantifier');
  const quantifier = elements[at];
  if (at < 1 || quantifier.max !== Infinity || quantifier.element.type === 'Group') return [];
  const start = elements.slice(0, at);
  if (!start.every(({ type }) => type.startsWith('Character'))) return [];
  if (!quantifier.element.type.startsWith('Character')) return [];
  if (elements.slice(at + 1).every((rest) => isPotentiallyEmpty(rest, flags))) return [];
  const taken = toUnicodeSet(quantifier.element, flags).chars;
  if (!start.every((one) => taken.isSupersetOf(toUnicodeSet(one, flags).chars))) return [];
  const data = { start: start.map(({ raw }) => raw).join(''), part: quantifier.raw };
  return [{ messageId: 'restart', data }];
}
