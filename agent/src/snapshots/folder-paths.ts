/**
 * A capture writes only paths below its folders. Another path shows that the snapshot is not from a
 * capture. @throws when a path is absolute or has the part `..`
 */
export function requireInside(paths: readonly string[]): void {
  for (const path of paths)
    if (path.startsWith('/') || path.split('/').includes('..'))
      throw new Error(`The path ${JSON.stringify(path.slice(0, 200))} leads out of the workspace`);
}
