import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeBesideTools } from './write-beside-tools.js';

/** Replaces files until disposal. @throws Error when a link is in the place of a file or folder */
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
      before
        ? () => writeBesideTools(folder, name, { text: before })
        : () => rm(dirname(path), { recursive: true, force: true }),
    );
    await writeBesideTools(folder, name, { text });
  }
  return {
    [Symbol.asyncDispose]: async () => {
      for (const step of undo) await step();
    },
  };
}
