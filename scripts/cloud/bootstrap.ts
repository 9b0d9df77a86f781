import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { deployedOutputs } from '../release/stack-outputs.js';
import { runTool, Stop } from './commands.js';

export interface Account {
  readonly account: string;
  readonly region: string;
}

/** The account and region that every step of a command uses. */
export async function currentAccount(): Promise<Account> {
  const sts = new STSClient({});
  const region = await sts.config.region().catch(() => {
    throw new Stop('No AWS region is configured. Set AWS_REGION.');
  });
  const { Account: account = '' } = await sts.send(new GetCallerIdentityCommand({}));
  return { account, region };
}

/** CDK's own stack, once for each account and region. */
export async function isBootstrapped(): Promise<boolean> {
  return (await deployedOutputs('CDKToolkit')).size > 0;
}

/** Without an app: CDK would synthesize it first, which takes a build and all settings. */
export async function bootstrap({ account, region }: Account, args: readonly string[] = []): Promise<void> {
  await runTool('cdk', ['bootstrap', '--app', '', `aws://${account}/${region}`, ...args]);
}
