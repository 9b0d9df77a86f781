import type { SSMClient } from '@aws-sdk/client-ssm';
import { expect, it } from 'vitest';
import { putImageParameter } from './image-parameter.js';

/** A parameter store that shows a new value after some reads, as it does for images. */
function lateStore(readsBefore: number) {
  const calls: string[] = [];
  const send = async (command: object) => {
    calls.push(command.constructor.name);
    return { Parameter: { Value: calls.length > readsBefore + 1 ? 'ami-new' : 'ami-old' } };
  };
  return { calls, client: { send } as unknown as SSMClient };
}

const parameter = { name: '/berth/ami/arm64', imageId: 'ami-new', release: 'c0ffee' };

it('waits until the parameter has the new image', async () => {
  const { calls, client } = lateStore(3);
  await putImageParameter(client, parameter, 1);
  expect(calls.filter((name) => name === 'GetParameterCommand')).toHaveLength(4);
});

it('fails when the parameter store does not accept the image', async () => {
  await expect(putImageParameter(lateStore(1_000).client, parameter, 0)).rejects.toThrow('did not accept');
});
