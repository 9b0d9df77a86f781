import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsParameter } from '../../../infra/settings.js';
import { lastSettings, withLastSettings } from '../../../scripts/cloud/last-settings.js';
import { runCloudScript } from './run-cloud-script.js';

const deployed = `deployed-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'berth-deploy-'));
const given = { superadmins: '1001', domainName: 'berth.example.com', certificateArn: 'arn:of:certificate' };
const ofDeployed = ['-c', `deploymentId=${deployed}`];
const main = (verb: string, ...args: readonly string[]) => runCloudScript(folder, 'main.ts', [verb, ...args]);
const aStack = /\n\s+at .*:\d+:\d+/;

beforeAll(async () => {
  const Value = JSON.stringify({ deploymentId: deployed, ...given });
  await new SSMClient({}).send(
    new PutParameterCommand({ Name: settingsParameter(deployed), Value, Type: 'String' }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run deploy', () => {
  it.each([
    ['a misspelt setting', ['-c', 'nodeCapcity=9'], 'nodeCapcity is no setting. Do you mean nodeCapacity?'],
    ['a wrong setting', ['-c', 'nodeCapacity=none'], 'nodeCapacity: '],
    ['no superadmin', ['--yes'], 'superadmins: name at least one superadmin'],
    ['no terminal to ask at', ['-c', 'superadmins=1'], 'this is no terminal. Add: -- --yes'],
  ])('ends before it calls AWS, in a sentence: %s', async (_what, args, said) => {
    const before = process.env.AWS_ENDPOINT_URL;
    // Nothing answers there.
    process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:1';
    try {
      const { code, output } = await main('deploy', ...args);

      expect([code, output]).toEqual([1, expect.stringContaining(said)]);
      expect(output).not.toMatch(aStack);
    } finally {
      process.env.AWS_ENDPOINT_URL = before;
    }
  });

  it('changes nothing when a setting of the last deployment is forgotten, and names it', async () => {
    const { code, output } = await main('deploy', '--yes', ...ofDeployed, '-c', 'superadmins=1002');

    expect(code).toBe(1);
    expect(output).toContain(`Update ${deployed}, in account`);
    expect(output).toContain('superadmins: 1002, before 1001');
    expect(output).toContain('  domainName=berth.example.com\n');
    expect(output).toContain('or take it back with -c name= (its default)');
    expect(output).not.toMatch(aStack);
  });

  it('says in a sentence that AWS cannot be reached', async () => {
    const before = process.env.AWS_ENDPOINT_URL;
    process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:1';
    try {
      const { code, output } = await main('deploy', '--yes', '-c', 'superadmins=1');

      expect([code, output]).toEqual([1, expect.stringContaining('AWS did not answer as expected')]);
      expect(output).not.toMatch(aStack);
    } finally {
      process.env.AWS_ENDPOINT_URL = before;
    }
  });
});

describe('the settings of the last deployment', () => {
  it('are unknown before the first one', async () => {
    expect(await lastSettings('never-deployed')).toBeUndefined();
    expect(await withLastSettings(['-c', 'deploymentId=never-deployed'])).toEqual([
      '-c',
      'deploymentId=never-deployed',
    ]);
  });

  it('are those of a command that changes none, but for what it names itself', async () => {
    const args = [...ofDeployed, '-c', 'domainName='];

    expect(await withLastSettings(args)).toEqual([
      ...args,
      ...['--context', 'superadmins=1001', '--context', 'certificateArn=arn:of:certificate'],
    ]);
  });
});

it('npm run bootstrap needs no build and no settings', async () => {
  const { code, output } = await main('bootstrap');

  expect([code, output]).toEqual([0, expect.stringMatching(/Environment aws:\/\/\d+\/\S+ bootstrapped/)]);
  const { Stacks } = await new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: 'CDKToolkit' }),
  );
  expect(Stacks).toHaveLength(1);
});
