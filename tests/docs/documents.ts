import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = dirname(dirname(import.meta.dirname));

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Files below a directory of the repository, by their paths in it. */
export function filesBelow(directory: string, ending: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name));
}

/** Every page of the documentation. */
export const DOCUMENTS: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...filesBelow('docs', '.md'),
].sort();

/** The pages of `docs/` as one text. A noun may describe its routes, commands and errors on its own page. */
export const pages = (): string =>
  DOCUMENTS.filter((file) => dirname(file) === 'docs')
    .map(read)
    .join('\n');

/** What a check found in each document; those without a finding are left out. */
export function findings(
  check: (markdown: string, file: string) => readonly string[],
): Record<string, readonly string[]> {
  const found = DOCUMENTS.map((file) => [file, check(read(file), file)] as const);
  return Object.fromEntries(found.filter(([, problems]) => problems.length > 0));
}
