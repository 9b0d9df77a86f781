import { ReleaseId } from '../../protocol/releases.js';
import { deploymentContext } from '../deployment-context.js';

export interface ReleaseOptions {
  readonly deploymentId: string;
  readonly imageParameter: string;
  readonly arch: 'amd64' | 'arm64';
  /** A release that was made before: forward or back to it, nothing is built. */
  readonly to: string | undefined;
  readonly workspaceImage: string;
}

/**
 * The settings of the deployment that a release needs, and the options of `npm run release`.
 * @throws with one line that says what is wrong
 */
export function releaseOptions(args: readonly string[], folder?: string): ReleaseOptions {
  const to = releaseIn(args);
  const { deploymentId, nodeImageParameter, text } = deploymentContext(args, folder);
  return {
    deploymentId,
    imageParameter: nodeImageParameter,
    arch: archOf(nodeImageParameter),
    to,
    workspaceImage: text('bakedWorkspaceImage') ?? '',
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

/** The value of `--to`. Every other option than `--context` is refused. */
function releaseIn(args: readonly string[]): string | undefined {
  const words = args.flatMap((arg) => arg.match(/^(--context|--to|-c)=(.*)$/s)?.slice(1) ?? [arg]);
  let release: string | undefined;
  for (let index = 0; index < words.length; index += 2) {
    const [option, value] = [words[index], words[index + 1]];
    if (value === undefined) throw new Error(`${option} needs a value`);
    if (option === '--to') release = commitOf(value);
    else if (!(isContext(option) && value.includes('=')))
      throw new Error(`There is no option "${option}"; there are --to <commit> and --context name=value`);
  }
  return release;
}

const isContext = (option: string | undefined): boolean => option === '--context' || option === '-c';

function commitOf(value: string): string {
  if (ReleaseId.safeParse(value).success) return value;
  throw new Error(`--to must be a commit, 40 lower-case hexadecimal characters, not "${value}"`);
}
