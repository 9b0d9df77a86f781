import { parseSettings } from '../../infra/settings.js';
import { type DeploymentContext, deploymentContext } from '../deployment-context.js';
import { ask } from './ask.js';
import { type Account, bootstrap, currentAccount, isBootstrapped } from './bootstrap.js';
import { runScript, runTool, Stop } from './commands.js';
import { lastSettings } from './last-settings.js';
import { asArguments, forgottenText, settingChanges } from './setting-changes.js';

/** `npm run deploy`: asks once for what is new, then deploys all stacks and the console. */
export async function deploy(given: readonly string[]): Promise<void> {
  const isYes = given.some((arg) => arg === '--yes' || arg === '-y');
  const args = given.filter((arg) => arg !== '--yes' && arg !== '-y');
  const context = deploymentContext(args);
  // Refuses a wrong setting before the first call of AWS.
  parseSettings(context.all);
  const isTerminal = process.stdin.isTTY === true;
  if (!isYes && !isTerminal)
    throw new Stop('npm run deploy asks before it deploys, and this is no terminal. Add: -- --yes');
  const account = await currentAccount();
  const kept = await keptSettings(context, account, isTerminal && !isYes);
  await runScript('cloud/check-rotations.ts', [...args, ...kept]);
  if (!(await isBootstrapped())) await bootstrap(account);
  await runScript('build.ts');
  // The person has answered for all stacks, so CDK does not ask for each one with new rights.
  await runTool('cdk', ['deploy', '--all', '--require-approval', 'never', ...args, ...kept]);
  await runScript('cloud/publish.ts', [...args, ...kept]);
}

/** @returns settings of the last deployment that stay, as arguments */
async function keptSettings(
  { deploymentId, given, named }: DeploymentContext,
  { account, region }: Account,
  mayAsk: boolean,
): Promise<readonly string[]> {
  const last = await lastSettings(deploymentId);
  const { changed, forgotten } = settingChanges(last ?? {}, given, named);
  const what = last ? `Update ${deploymentId}` : `Deploy ${deploymentId} for the first time`;
  console.log([`${what}, in account ${account}, region ${region}.`, ...changed].join('\n  '));
  const hasForgotten = Object.keys(forgotten).length > 0;
  if (!mayAsk && hasForgotten) throw new Stop(forgottenText(forgotten));
  if (mayAsk)
    await agree(hasForgotten ? [`${forgottenText(forgotten)}\nKeep all of them?`, 'Deploy?'] : ['Deploy?']);
  return asArguments(forgotten);
}

async function agree(questions: readonly string[]): Promise<void> {
  for (const question of questions) if (!(await ask(question))) throw new Stop('Nothing was changed.');
}
