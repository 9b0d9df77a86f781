import { existsSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildAgent } from '../build-agent.js';
import { buildClient } from '../build-client.js';
import { buildLambdas } from '../build-lambdas.js';
import { buildWeb } from '../build-web.js';
import { ContentStore } from './content-store.js';
import { keyOf, type Part, parts, root } from './parts.js';

const make: Readonly<Record<Part, (folder: string) => Promise<unknown>>> = {
  lambdas: buildLambdas,
  agent: (folder) => buildAgent(join(folder, 'main.js')),
  web: buildWeb,
  client: buildClient,
};

const storeOf = (part: Part): string => join(root, '.cache/builds', part);
const linkOf = (part: Part): string => join(root, 'dist', part);

/**
 * Builds a part of what is deployed, unless it was built from the same content before. Afterwards
 * `dist/<part>` is a link to its folder, which the function gives.
 */
export async function built(part: Part): Promise<string> {
  const folder = await new ContentStore(storeOf(part)).keep(() => keyOf(part), make[part]);
  link(linkOf(part), folder);
  return folder;
}

/** The file that runs the agent. */
export async function builtAgent(): Promise<string> {
  return join(await built('agent'), 'main.js');
}

/** Whether `dist` has all parts as the sources are now. */
export function isBuilt(): boolean {
  return parts.every((part) => {
    const folder = join(storeOf(part), keyOf(part));
    return existsSync(folder) && targetOf(linkOf(part)) === targetFor(linkOf(part), folder);
  });
}

/** Replaces the link in one step: a reader finds the former folder or the new one. */
function link(path: string, folder: string): void {
  const target = targetFor(path, folder);
  if (targetOf(path) === target) return;
  mkdirSync(join(path, '..'), { recursive: true });
  if (targetOf(path) === undefined) rmSync(path, { recursive: true, force: true });
  const fresh = `${path}.${process.pid}`;
  symlinkSync(target, fresh);
  renameSync(fresh, path);
}

const targetFor = (path: string, folder: string): string => relative(join(path, '..'), folder);

function targetOf(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}
