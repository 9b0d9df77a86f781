import { setTimeout } from 'node:timers/promises';
import { GetParameterCommand, PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';

interface ImageParameter {
  readonly name: string;
  readonly imageId: string;
  readonly release: string;
}

const attempts = 60;

/**
 * Writes the id of the image and waits until launches read it: the parameter store validates an
 * image after its reply. @throws when it does not accept the image within two minutes
 */
export async function putImageParameter(
  ssm: SSMClient,
  { name, imageId, release }: ImageParameter,
  intervalMs = 2_000,
): Promise<void> {
  await ssm.send(
    new PutParameterCommand({
      Name: name,
      Value: imageId,
      Type: 'String',
      DataType: 'aws:ec2:image',
      Overwrite: true,
      Description: `Berth node image, release ${release}`,
    }),
  );
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if ((await storedImage(ssm, name)) === imageId) return;
    await setTimeout(intervalMs);
  }
  throw new Error(`The parameter ${name} did not accept the image ${imageId}. No node was drained.`);
}

async function storedImage(ssm: SSMClient, name: string): Promise<string | undefined> {
  try {
    return (await ssm.send(new GetParameterCommand({ Name: name }))).Parameter?.Value;
  } catch (error) {
    if (error instanceof Error && error.name === 'ParameterNotFound') return undefined;
    throw error;
  }
}
