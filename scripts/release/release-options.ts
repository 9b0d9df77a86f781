import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ReleaseId } from '../../protocol/releases.js';

export interface ReleaseOptions {
  readonly deploymentId: string;
  readonly imageParameter: string;
  readonly arch: 'amd64' | 'arm64';
  /** A release that was made before: forward or back to it, nothing is built. */
  readonly to: string | undefined;
  readonly workspaceImage: string;
  /** Whether the data outlives the stacks. */
  readonly retainData: boolean;
}

const Settings = z.object({ context: z._default(z.record(z.string(), z.unknown()), {}) });

/**
 * The settings of the deployment that a release needs: those of the command line before those of
 * `cdk.json`, as CDK itself takes them.
 * @throws with one line that says what is wrong
 */
export function releaseOptions(args: readonly string[], root: string): ReleaseOptions {
  const { context } = Settings.parse(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')));
  const given = givenIn(args);
  const setting = (name: string, fallback: string) => given.get(name) ?? text(context[name]) ?? fallback;
  const imageParameter = setting('nodeImageParameter', '/berth/ami/arm64');
  const to = given.get('--to');
  if (to !== undefined && !ReleaseId.safeParse(to).success)
    throw new Error(`--to must be a commit, 40 lower-case hexadecimal characters, not "${to}"`);
  return {
    deploymentId: setting('deploymentId', 'berth'),
    imageParameter,
    arch: archOf(imageParameter),
    to,
    workspaceImage: setting('bakedWorkspaceImage', ''),
    retainData: setting('retainData', 'true') !== 'false',
  };
}

/**
 * The architecture is the last part of the parameter's name, so that no image of the other can get
 * there.
 */
function archOf(imageParameter: string): 'amd64' | 'arm64' {
  const last = imageParameter.split('/').at(-1);
  if (last === 'amd64' || last === 'arm64') return last;
  throw new Error(`nodeImageParameter must end with /amd64 or /arm64, not "${imageParameter}"`);
}

/** `--context name=value`, `-c name=value`, both also in one word; `--to commit`. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
function givenIn(args: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const words = args.flatMap((arg) => arg.match(/^(--context|--to|-c)=(.*)$/s)?.slice(1) ?? [arg]);
  for (let index = 0; index < words.length; index += 2) {
    const [option, value] = [words[index], words[index + 1]];
    if (value === undefined) throw new Error(`${option} needs a value`);
    if (option === '--to') found.set('--to', value);
    else if ((option === '--context' || option === '-c') && value.includes('='))
      found.set(value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1));
    else throw new Error(`There is no option "${option}"; there are --to <commit> and --context name=value`);
  }
  return found;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
