import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashSources } from '../../local/deployment/source-hash.js';
import { built } from './built.js';
import { ContentStore } from './content-store.js';
import { root, sourcesOfDeployment } from './parts.js';

/** Names the templates of a deployment with the standard settings. */
export const keyOfTemplates = (): string => hashSources(root, sourcesOfDeployment);

/**
 * The folder of the templates of a deployment with the standard settings, synthesised with cdk-nag
 * unless the same sources passed before.
 * @throws {Error} with the output of `cdk synth`
 */
export async function templates(): Promise<string> {
  await built('lambdas');
  return new ContentStore(join(root, '.cache/builds/templates')).keep(keyOfTemplates, synth);
}

async function synth(folder: string): Promise<void> {
  await promisify(execFile)(
    join(root, 'node_modules/.bin/cdk'),
    // Only the templates are read: the code of the functions is not copied.
    [
      ...['synth', '--quiet', '--strict', '--no-staging'],
      ...['--context', 'superadmins=1001', '--output', folder],
    ],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
}
