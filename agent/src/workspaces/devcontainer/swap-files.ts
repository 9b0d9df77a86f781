import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Replaces files until disposal. */
export async function swapFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable> {
  const undo: (() => Promise<void>)[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    const before = await readFile(path).catch(() => null);
    await mkdir(dirname(path), { recursive: true });
    undo.push(
      before ? () => writeFile(path, before) : () => rm(dirname(path), { recursive: true, force: true }),
    );
    await writeFile(path, text);
  }
  return {
    [Symbol.asyncDispose]: async () => {
      for (const step of undo) await step();
    },
  };
}
