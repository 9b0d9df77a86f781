import { describe, expect, it } from 'vitest';
import { failureMessage } from './failure-message.js';

const bounds = {
  timeouts: { LaunchNode: 900, CreateOnNode: 1800 },
  heartbeats: { LaunchNode: 600, CreateOnNode: 90 },
};
const lambdaCause = (errorMessage: string) => JSON.stringify({ errorType: 'X', errorMessage, trace: [] });

describe('the message of a failed provisioning', () => {
  it.each([
    [{ step: 'LaunchNode', error: 'States.Timeout', cause: '' }, /within 15 minutes.*being terminated/],
    [{ step: 'CreateOnNode', error: 'States.Timeout', cause: '' }, /within 30 minutes.*boot log/],
    [{ step: 'LaunchNode', error: 'States.HeartbeatTimeout', cause: '' }, /not start within 10 minutes/],
    [
      { step: 'CreateOnNode', error: 'States.HeartbeatTimeout', cause: '' },
      /reported nothing for 90 seconds/,
    ],
    [{ step: 'CreateOnNode', error: 'ProvisioningFailed', cause: 'git clone failed' }, /^git clone failed$/],
    [
      {
        step: 'PlaceWorkspace',
        error: 'NodeLimitReached',
        cause: lambdaCause('All of your 10 nodes are full'),
      },
      /^All of your 10 nodes are full$/,
    ],
    [
      { step: 'LaunchNode', error: 'InsufficientInstanceCapacity', cause: lambdaCause('x') },
      /EC2 could not start/,
    ],
  ])('says what happened and what to do: %o', (failure, message) => {
    expect(failureMessage(failure, bounds)).toMatch(message);
  });

  it('keeps the inside of a bug to itself', () => {
    const failure = { step: 'CreateOnNode', error: 'TypeError', cause: lambdaCause('secret of undefined') };

    expect(failureMessage(failure, bounds)).not.toContain('secret');
  });
});
