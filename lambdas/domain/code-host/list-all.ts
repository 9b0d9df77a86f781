/** 1000 items at 100 a page; bounds the calls to the code host. */
const maxPages = 10;
const pageSize = 100;

/** Reads the pages of a list one by one until one is not full, or says that there may be more. */
export async function listAll<Item>(
  readPage: (query: string) => Promise<readonly Item[]>,
): Promise<{ readonly items: readonly Item[]; readonly isComplete: boolean }> {
  const items: Item[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const found = await readPage(`per_page=${pageSize}&page=${page}`);
    items.push(...found);
    if (found.length < pageSize) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}
