import { deploymentContext } from '../deployment-context.js';
import { ask } from './ask.js';
import { runScript, runTool, Stop } from './commands.js';
import { withLastSettings } from './last-settings.js';

/** `npm run destroy`: nodes, images and stacks. `--force` answers its question. */
export async function destroy(given: readonly string[]): Promise<void> {
  const isForced = given.some((arg) => arg === '--force' || arg === '-f');
  const args = given.filter((arg) => arg !== '--force' && arg !== '-f');
  if (!isForced && !process.stdin.isTTY)
    throw new Stop('npm run destroy asks for confirmation, and this is no terminal. Add: -- --force');
  const settings = await withLastSettings(args);
  // A wrong setting or a missing build fails here, before the first node is terminated.
  await runScript('build.ts');
  await runTool('cdk', ['synth', '--quiet', ...settings]);
  const { deploymentId, retainData } = deploymentContext(settings);
  const data = retainData ? 'Its data is kept' : 'Its data is deleted';
  const question = `Terminate all nodes of ${deploymentId} and delete its images and stacks? ${data}.`;
  if (!isForced && !(await ask(question))) throw new Stop('Nothing was deleted.');
  // A state machine is deleted only when its last execution has ended, and one may wait for a day.
  await runScript('cloud/stop-executions.ts', settings);
  // The control plane launches instances, not CloudFormation: they would outlive the stacks and be
  // billed.
  await runScript('cloud/terminate-nodes.ts', settings);
  await runScript('cloud/remove-release.ts', settings);
  await runTool('cdk', ['destroy', '--all', '--force', ...settings]);
}
