import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod/mini';
import type { GivenSettings } from '../../infra/given-settings.js';
import { settingsParameter } from '../../infra/settings.js';
import { deploymentContext } from '../deployment-context.js';
import { asArguments, settingChanges } from './setting-changes.js';

const Given = z.record(z.string(), z.string());

/** The settings of the last deployment; undefined before the first one. */
export async function lastSettings(
  deploymentId: string,
  client = new SSMClient({}),
): Promise<GivenSettings | undefined> {
  try {
    const answer = await client.send(new GetParameterCommand({ Name: settingsParameter(deploymentId) }));
    return Given.parse(JSON.parse(answer.Parameter?.Value ?? '{}'));
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** For commands that change no setting: those of the last deployment need not be repeated. */
export async function withLastSettings(args: readonly string[]): Promise<readonly string[]> {
  const { deploymentId, given, named } = deploymentContext(args);
  const last = (await lastSettings(deploymentId)) ?? {};
  return [...args, ...asArguments(settingChanges(last, given, named).forgotten)];
}
