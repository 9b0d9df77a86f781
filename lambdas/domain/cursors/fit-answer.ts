/**
 * A function answers at most 6 MiB, its body as a string in JSON: a control character is seven
 * bytes there. The rest is left for what an answer holds beside its items.
 */
const maxAnswerBytes = 5 * 1024 ** 2;

/** As many of the items as one answer holds, in their order; at least the first. */
export function fitAnswer<Item>(items: readonly Item[], maxBytes = maxAnswerBytes): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(item)));
    return index > 0 && bytes > maxBytes;
  });
  return end < 0 ? items : items.slice(0, end);
}
