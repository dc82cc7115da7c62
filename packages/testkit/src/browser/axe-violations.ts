import type { Page } from 'playwright-core';

/** The part of a result of axe that is reported. */
interface Found {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

interface AxeOptions {
  /** Only what is in the elements of this selector. */
  readonly within?: string;
  /** Only these rules of axe; all of them by default. */
  readonly rules?: readonly string[];
}

/** The serious and critical problems that axe finds in a page, one line for each element. */
export async function axeViolations(
  page: Page,
  { within, rules }: AxeOptions = {},
): Promise<string[]> {
  // Loaded here: it is large, and few tests need it.
  const { default: axe } = await import('axe-core');
  // What the debugger evaluates is not subject to the policy of the page.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
  };
  const found = await page.evaluate<readonly Found[]>(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, help, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) =>
          `${id} (${impact}): ${help}: ${html.slice(0, 200)} ${failureSummary ?? ''}`,
      ),
    );
}
