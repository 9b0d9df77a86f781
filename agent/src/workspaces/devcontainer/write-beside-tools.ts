import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const plainFile = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Content {
  readonly text: string | Buffer;
  readonly mode?: number;
}

/**
 * Writes a file in a folder that a repository or a sandboxed tool has filled. No tool runs now, but
 * what it left may lead the agent out of the folder.
 * @throws Error when the file, or a folder between it and the given one, is a link
 */
export async function writeBesideTools(folder: string, name: string, content: Content): Promise<void> {
  const { text, mode = 0o666 } = content;
  const path = join(folder, name);
  const expected = dirname(join(await realpath(folder), name));
  if ((await realpath(dirname(path))) !== expected) throw new Error(`${name} leads out of its folder`);
  await using file = await open(path, plainFile, mode);
  // A pipe or a device would take the text elsewhere.
  if (!(await file.stat()).isFile()) throw new Error(`${name} is not a plain file`);
  await file.truncate();
  await file.writeFile(text);
}
