/** How many of the rows fit into a page of so many bytes; one always does, however large it is. */
export function countWithin(sizes: readonly { readonly bytes: number }[], limit: number): number {
  let weight = 0;
  let count = 0;
  for (const { bytes } of sizes) {
    weight += bytes;
    if (weight > limit && count > 0) break;
    count += 1;
  }
  return count;
}
