/** The part of the tree of a text that matters here. */
interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly properties?: Record<string, unknown>;
}

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 ul ol li blockquote th td'.split(' '));

/**
 * Lays out each block of a text from the side that its first letter is written from. Not by `dir="auto"`, for which a
 * list or a quote has no letters of its own as soon as the blocks in it have a direction.
 */
export function directed() {
  return (tree: Node): void => {
    direct(tree);
  };
}

/** Returns the first letter below a node that says anything about its direction. */
function direct(node: Node): string | undefined {
  if (node.tagName === 'pre') return undefined;
  let first = node.type === 'text' ? strongIn(node.value ?? '') : undefined;
  for (const child of node.children ?? []) {
    const letter = direct(child);
    first ??= letter;
  }
  if (first !== undefined && node.properties && BLOCKS.has(node.tagName ?? '')) {
    node.properties['dir'] = directionOf(first);
  }
  return first;
}

const RIGHT_TO_LEFT =
  /[\p{scx=Adlm}\p{scx=Arab}\p{scx=Hebr}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Rohg}\p{scx=Samr}\p{scx=Syrc}\p{scx=Thaa}]/u;

const strongIn = (text: string): string | undefined => /\p{L}/u.exec(text)?.[0];

const directionOf = (letter: string): 'rtl' | 'ltr' => (RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr');
