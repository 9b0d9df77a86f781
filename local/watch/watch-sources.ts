import { join } from 'node:path';
import { built } from '../../scripts/builds/built.js';
import { bundleFunctions } from '../../scripts/lambdas/bundle-functions.js';
import type { Functions } from '../deployment/functions.js';
import { seconds } from '../progress.js';
import { ChangedFiles } from './changed-files.js';
import { type Reach, reachOf } from './source-graph.js';

interface WatchedCloud {
  readonly root: string;
  /** Where the bundles of changed functions are written: those of the build never change. */
  readonly bundles: string;
  readonly functions: Functions;
  /** Gives how many were restarted. */
  readonly restartAgents: () => Promise<number>;
  readonly uploadConsole: () => Promise<void>;
  /** Called before the code of a function is replaced. */
  readonly willReplace: (name: string) => void;
  readonly report: (line: string) => void;
}

/** As many functions at once as keep the emulator busy. */
const uploads = 4;

/**
 * Rebuilds what a changed source file is part of and puts it into the running laptop cloud, until
 * it is disposed of.
 */
export function watchSources(cloud: WatchedCloud): AsyncDisposable {
  return new ChangedFiles(cloud.root, async (files) => {
    const began = performance.now();
    try {
      const done = await redeploy(cloud, await reachOf(cloud.root, files));
      if (done.length === 0) return;
      cloud.report(`${named(files)}: ${done.join(', ')} in ${seconds(performance.now() - began)}`);
    } catch (error) {
      cloud.report(`${named(files)}: not redeployed. ${error instanceof Error ? error.message : error}`);
    }
  });
}

async function redeploy(cloud: WatchedCloud, reach: Reach): Promise<readonly string[]> {
  const done: string[] = [];
  if (reach.functions.length > 0) {
    await redeployFunctions(cloud, reach.functions);
    const { length } = reach.functions;
    done.push(length === 1 ? 'one function redeployed' : `${length} functions redeployed`);
  }
  if (reach.agent) {
    await built('agent');
    done.push(`agent rebuilt, ${await cloud.restartAgents()} restarted`);
  }
  if (reach.console) {
    await built('web');
    await cloud.uploadConsole();
    done.push('console uploaded');
  }
  if (reach.deployment.length > 0)
    done.push(`${reach.deployment.join(', ')} belongs to the deployment: restart npm start to deploy it`);
  return done;
}

async function redeployFunctions(cloud: WatchedCloud, names: readonly string[]): Promise<void> {
  const { root, bundles } = cloud;
  await bundleFunctions(names, { root, outdir: bundles });
  const waiting = [...names];
  const upload = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      // A function of a new row is not deployed yet; the report names the row's file.
      if (!(await cloud.functions.has(name))) continue;
      cloud.willReplace(name);
      await cloud.functions.updateCode(name, join(bundles, name));
    }
  };
  await Promise.all(Array.from({ length: uploads }, upload));
}

function named(files: readonly string[]): string {
  return files.length === 1 ? String(files[0]) : `${files[0]} and ${files.length - 1} more`;
}
