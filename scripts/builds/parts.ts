import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { hashSources } from '../../local/deployment/source-hash.js';

export const root = join(import.meta.dirname, '../..');

/** The files with which every part is made. */
const ofEveryPart = ['package.json', 'package-lock.json', 'scripts/builds', 'tsconfig.json'];

/**
 * The files and folders that each part of the build is made from. Tests compare them with what the
 * bundler and the scripts read.
 */
export const sourcesOfPart = {
  lambdas: [
    ...ofEveryPart,
    ...['infra/function-files.ts', 'lambdas', 'protocol'],
    ...['scripts/build-lambdas.ts', 'scripts/bundle-budget.ts', 'scripts/lambdas'],
  ],
  agent: [...ofEveryPart, 'agent', 'protocol', 'scripts/build-agent.ts', 'scripts/executed-contracts.ts'],
  web: [
    ...ofEveryPart,
    ...['client', 'protocol', 'web'],
    ...['scripts/build-web.ts', 'scripts/first-file.ts', 'scripts/short-private-names.ts'],
  ],
  client: [...ofEveryPart, 'client', 'scripts/build-client.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Part = keyof typeof sourcesOfPart;
export const parts = Object.keys(sourcesOfPart) as Part[];

/** The files that the synthesis reads beside the functions. */
export const sourcesOfDeployment = [...sourcesOfPart.lambdas, 'cdk.json', 'infra', 'state-machines'];

/** Names the content of a part. The version of the agent names the commit. */
export const keyOf = (part: Part): string =>
  hashSources(root, sourcesOfPart[part], part === 'agent' ? [commit()] : []);

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
