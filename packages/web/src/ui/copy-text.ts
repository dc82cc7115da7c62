/** Over plain HTTP from another machine there is no clipboard to write to; then the old way. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  // In a modal dialog nothing outside of it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way where the page is not secure
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied)
    throw new Error('The browser blocked copying. Select the text and copy it by hand.');
}
