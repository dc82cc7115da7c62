/** One page after the other, each from where the last one ended. */
export async function* pagesOf<Page extends { readonly nextAfter?: string | undefined }>(
  first: string | undefined,
  pageAfter: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let after = first;
  do {
    const page = await pageAfter(after);
    yield page;
    after = page.nextAfter;
  } while (after !== undefined);
}
