export interface PathNode<Item> {
  readonly name: string;
  readonly folders: readonly PathNode<Item>[];
  readonly items: readonly (readonly [string, Item])[];
}

/** Items in their folders. A folder that holds nothing but a folder is one row with it. */
export function pathTree<Item>(items: readonly (readonly [string, Item])[], name = ''): PathNode<Item> {
  const own = items.filter(([path]) => !path.includes('/'));
  const byFolder = Map.groupBy(
    items.filter(([path]) => path.includes('/')),
    ([path]) => path.slice(0, path.indexOf('/')),
  );
  const folders = [...byFolder].map(([folder, inside]) =>
    pathTree(
      inside.map(([path, item]) => [path.slice(folder.length + 1), item] as const),
      folder,
    ),
  );
  const [only] = folders;
  if (name !== '' && own.length === 0 && folders.length === 1 && only)
    return { ...only, name: `${name}/${only.name}` };
  return { name, folders, items: own };
}
