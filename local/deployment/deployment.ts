import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { AppCredentials } from '../code-host/app-credentials.js';
import { LaptopError } from '../laptop-error.js';
import { runCommand } from '../run-command.js';
import { type Outputs, parseOutputs } from './outputs.js';

interface DeploymentOptions {
  readonly root: string;
  readonly stateDir: string;
  /** Folder of the logs, if that is not in the state folder. */
  readonly logs?: string;
  /** Environment with Node 24 first on PATH and the address of the emulator. */
  readonly env: NodeJS.ProcessEnv;
  readonly context: Readonly<Record<string, string>>;
  readonly hash: string;
}

/**
 * The deployment of the CDK app on this machine's emulator, and the record of what was deployed
 * last.
 */
export class Deployment {
  constructor(private readonly options: DeploymentOptions) {}

  /**
   * The outputs of the last deployment, when it was made from the same sources with the same
   * context.
   */
  current(): Outputs | undefined {
    const { hash } = this.options;
    return existsSync(this.stamp) && readFileSync(this.stamp, 'utf8') === hash ? this.last() : undefined;
  }

  /** The outputs of the last deployment that came to its end, of whatever sources. */
  last(): Outputs | undefined {
    if (!existsSync(this.stamp) || !existsSync(this.outputs)) return undefined;
    return parseOutputs(readFileSync(this.outputs, 'utf8'));
  }

  /**
   * What runs is no longer what was deployed: the next start deploys again, whatever the sources
   * are by then.
   */
  markReplaced(): void {
    writeFileSync(this.stamp, 'replaced');
  }

  /** Until a deployment comes to its end, what the emulator saved is of no use. */
  begin(): void {
    rmSync(this.stamp, { force: true });
  }

  /** The state folder was filled with a deployment that has these outputs. */
  adopt(outputs: string): void {
    writeFileSync(this.outputs, outputs);
    writeFileSync(this.stamp, this.options.hash);
  }

  async bootstrap(): Promise<void> {
    await this.cdk('bootstrap', [
      'bootstrap',
      'aws://000000000000/us-east-1',
      // Nothing of the app is needed to prepare an account, so it is not synthesised.
      '--app',
      '',
    ]);
  }

  /**
   * Plain `cdk deploy` of every stack. The emulator now and then calls a stack complete before its
   * exports can be imported, and the stack that follows at once fails; a repeat then finds them.
   */
  async deploy(): Promise<Outputs> {
    this.begin();
    try {
      await this.deployStacks();
    } catch (error) {
      if (
        !(error instanceof LaptopError) ||
        !/\bExport '.*' not found/.test(readFileSync(this.deployLog, 'utf8'))
      )
        throw error;
      await this.deployStacks();
    }
    writeFileSync(this.stamp, this.options.hash);
    return parseOutputs(readFileSync(this.outputs, 'utf8'));
  }

  private async deployStacks(): Promise<void> {
    await this.cdk('deploy', [
      'deploy',
      '--all',
      '--require-approval',
      'never',
      '--method',
      'direct',
      '--concurrency',
      '4',
      '--outputs-file',
      this.outputs,
      '--output',
      join(this.options.stateDir, 'cdk.out'),
      ...Object.entries(this.options.context).flatMap(([key, value]) => ['--context', `${key}=${value}`]),
    ]);
  }

  /**
   * An application of the code host is registered by hand in the cloud; here the stand-in's is put
   * in its place.
   */
  async registerCodeHost(
    secrets: SecretsManagerClient,
    { CodeHostSecretArn, CodeHostWebhookSecretArn }: Outputs,
    credentials: AppCredentials,
  ): Promise<void> {
    const { clientId, clientSecret, appId, privateKey, webhookSecret } = credentials;
    await secrets.send(
      new PutSecretValueCommand({
        SecretId: CodeHostSecretArn,
        SecretString: JSON.stringify({ clientId, clientSecret, appId, privateKey }),
      }),
    );
    if (!CodeHostWebhookSecretArn) return;
    await secrets.send(
      new PutSecretValueCommand({
        SecretId: CodeHostWebhookSecretArn,
        SecretString: JSON.stringify({ current: webhookSecret, previous: '' }),
      }),
    );
  }

  private async cdk(name: string, args: readonly string[]): Promise<void> {
    const { root, env } = this.options;
    await runCommand({
      node: join(root, 'node_modules/node/bin/node'),
      args: [join(root, 'node_modules/aws-cdk/bin/cdk'), ...args, '--ci', '--no-color'],
      cwd: root,
      // CDK validates each template in most of the time of a synthesis; `npm run check` does it.
      env: { ...env, CDK_VALIDATION: 'false' },
      logFile: this.logFile(name),
      title: `cdk ${name}`,
    });
  }

  private get deployLog(): string {
    return this.logFile('deploy');
  }

  private logFile(name: string): string {
    const { stateDir, logs = join(stateDir, 'logs') } = this.options;
    return join(logs, `cdk-${name}.log`);
  }

  private get stamp(): string {
    return join(this.options.stateDir, 'deployed');
  }

  private get outputs(): string {
    return join(this.options.stateDir, 'outputs.json');
  }
}
