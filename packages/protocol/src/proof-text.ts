/** The text that each side signs. It contains the host, so that a proof cannot be forwarded from another address. */
export function proofText(
  by: 'daemon' | 'page',
  {
    host,
    nonce,
    challenge,
  }: { readonly host: string; readonly nonce: string; readonly challenge: string },
): string {
  return ['stoa-proof-1', by, host.toLowerCase(), nonce, challenge].join('\n');
}
