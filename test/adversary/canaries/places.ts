import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Something that a secret could have got into. */
export interface Place {
  readonly name: string;
  readonly content: Buffer;
}

export interface Canary {
  readonly name: string;
  readonly value: string;
  /** Names of the places that may have it, each with why it must. */
  readonly mayBeIn: readonly (readonly [place: RegExp, why: string])[];
}

const maxFileBytes = 64 * 1_024 * 1_024;

/** The secret as it is, and as headers, addresses and JSON write it. */
function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64');
  // The end of it depends on what follows.
  const start = base64.slice(0, Math.floor((value.length * 4) / 3) - 3);
  return [...new Set([value, start, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])];
}

/** Where each canary is that it must not be in. */
export function leaksOf(canaries: readonly Canary[], places: Iterable<Place>): readonly string[] {
  const leaks: string[] = [];
  for (const { name: place, content } of places)
    for (const { name, value, mayBeIn } of canaries)
      if (
        formsOf(value).some((form) => content.includes(form)) &&
        !mayBeIn.some(([where]) => where.test(place))
      )
        leaks.push(`${name} is in ${place}`);
  return leaks;
}

/** Every file below a folder; links lead to what is looked at where it is. */
export function* filesBelow(folder: string, root = folder): Generator<Place> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) yield* filesBelow(path, root);
    if (!stat?.isFile() || stat.size > maxFileBytes) continue;
    const content = read(path);
    if (content) yield { name: `file ${relative(root, path)}`, content };
  }
}

/** Environment and command line of each process here. `describe` names one by its environment. */
export function* processes(describe: (environment: string) => string): Generator<Place> {
  for (const pid of namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const environment = read(`/proc/${pid}/environ`);
    const line = read(`/proc/${pid}/cmdline`);
    if (!environment || !line) continue;
    yield { name: `environment of ${describe(environment.toString())}`, content: environment };
    yield { name: `command line of ${line.toString().split('\0', 2).join(' ')}`, content: line };
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null for what is gone by now. */
function read(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
