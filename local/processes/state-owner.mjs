// A state folder has one owner at a time: a process, from its first step to its last. Plain
// JavaScript, as an owner must be known before anything is installed.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from './process-identity.mjs';
import { takeFile } from './take-file.mjs';

export const ownerFile = 'owner.json';
const fileOf = (stateDir) => join(stateDir, ownerFile);

/** The living process that owns the folder or runs its cloud. */
function ownerOf(stateDir) {
  // A cloud outlives the script that started it by the seconds in which it saves its state.
  return [ownerFile, 'run/main.json'].map((name) => read(join(stateDir, name))).find(lives);
}

/**
 * Makes this process the owner.
 *
 * @returns the owner when it is another process; nothing has changed then
 */
export function own(stateDir) {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const owner = ownerOf(stateDir);
  if (owner) return owner;
  if (takeFile(fileOf(stateDir))) return undefined;
  removeAbandoned(fileOf(stateDir));
  return takeFile(fileOf(stateDir)) ? undefined : ownerOf(stateDir);
}

/** Without effect for a process that is not the owner. */
export function disown(stateDir) {
  if (read(fileOf(stateDir))?.pid === process.pid) rmSync(fileOf(stateDir), { force: true });
}

/** Only one of two processes that see the same dead owner can move its file away. */
function removeAbandoned(file) {
  const moved = `${file}.${process.pid}.moved`;
  try {
    renameSync(file, moved);
    // The other one was faster, and this is its file.
    if (lives(read(moved))) linkSync(moved, file);
  } catch {
    // It is gone, or there is a new one: `takeFile` decides.
  } finally {
    rmSync(moved, { force: true });
  }
}

const lives = (identity) => identity !== undefined && isAlive(identity);

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
