/** The code in what `stoa login` prints; people paste the whole link. */
export function loginCodeIn(pasted: string): string {
  const text = pasted.trim();
  return URL.canParse(text) ? (new URL(text).searchParams.get('code') ?? '') : text;
}
