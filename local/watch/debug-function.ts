import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { debugBundle } from '../../scripts/lambdas/bundle-functions.js';
import type { Functions } from '../deployment/functions.js';
import { LaptopError } from '../laptop-error.js';
import type { ReplacedFunctions } from './replaced-functions.js';

export const functionDebugPort = 9229;
export const agentDebugPort = 9230;

/** The longest that Lambda lets a function run: time to stand at a breakpoint. */
const debugTimeoutSeconds = 900;

interface DebuggedCloud {
  readonly stateDir: string;
  readonly functions: Functions;
  readonly replaced: ReplacedFunctions;
}

/**
 * Puts a function into the laptop cloud that can be debugged: not minified, with whole sources in
 * its map, and with Node's inspector open. A debugger can attach once the function has been called.
 */
export async function debugFunction(cloud: DebuggedCloud, name: string): Promise<void> {
  const { functions, replaced } = cloud;
  if (!(await functions.has(name)))
    throw new LaptopError(
      `There is no function lambdas/${name}.ts. Name a handler by its path, for example: npm start -- --debug http/workspaces/create`,
    );
  const folder = join(cloud.stateDir, 'debug');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await debugBundle(name, folder);
  const former = await functions.configuration(name);
  replaced.add(name, former);
  await functions.updateCode(name, folder);
  const options = `${former.Environment.Variables.NODE_OPTIONS ?? ''} --inspect=127.0.0.1:${functionDebugPort}`;
  await functions.configure(name, {
    Timeout: debugTimeoutSeconds,
    Environment: { Variables: { ...former.Environment.Variables, NODE_OPTIONS: options.trim() } },
  });
}
