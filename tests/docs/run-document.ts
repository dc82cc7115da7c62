import type { TestDaemon } from '@stoa/testkit';
import { type CodeBlock, codeBlocks } from './code-blocks.js';
import { isExpected } from './expected-output.js';
import { type Ran, Workbench } from './workbench.js';

/**
 * Runs the blocks of a document that claim to run, in their order, against a daemon. Throws at the
 * first that fails or prints something other than the document shows.
 */
export async function runDocument(markdown: string, daemon: TestDaemon): Promise<void> {
  const workbench = new Workbench({
    STOA_HOME: daemon.home,
    STOA_URL: daemon.url,
    STOA_TOKEN: daemon.token,
  });
  try {
    let last: Ran | undefined;
    for (const block of codeBlocks(markdown)) {
      if (block.mark === 'run') last = await runBlock(workbench, block);
      else if (block.mark === 'output') assertPrinted(block, last?.printed ?? '');
    }
  } finally {
    workbench.cleanUp();
  }
}

async function runBlock(workbench: Workbench, block: CodeBlock): Promise<Ran> {
  const ran = await start(workbench, block);
  if (ran.code === 0) return ran;
  throw new Error(
    `the block in line ${block.line} ended with ${String(ran.code)}:\n${block.text}\nIt printed:\n${ran.printed}`,
  );
}

function start(workbench: Workbench, { language, text, line }: CodeBlock): Promise<Ran> {
  switch (language) {
    case 'sh':
      return workbench.shell(text);
    case 'ts':
      return workbench.typescript(text);
    case 'yaml':
      return workbench.configuration(text);
    default:
      throw new Error(`line ${line}: nobody knows how to run ${language}`);
  }
}

function assertPrinted(block: CodeBlock, printed: string): void {
  if (isExpected(block.text, printed)) return;
  throw new Error(
    `the document shows in line ${block.line}:\n${block.text}\nThe program printed:\n${printed}`,
  );
}
