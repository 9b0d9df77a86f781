import { describe, expect, it } from 'vitest';
import { parseSettings } from './settings.js';

describe('parseSettings', () => {
  it('has a default for everything a first deployment needs', () => {
    expect(parseSettings({})).toMatchObject({
      deploymentId: 'berth',
      signingKeyGenerations: [1],
      nodeCapacity: 3,
      retainData: true,
      nag: true,
    });
  });

  it('reads numbers, lists and flags as the command line gives them, which is as text', () => {
    const context = { nodeReadyTimeoutSeconds: '20', signingKeyGenerations: '[1,2]', retainData: 'false' };
    expect(parseSettings(context)).toMatchObject({
      nodeReadyTimeoutSeconds: 20,
      signingKeyGenerations: [1, 2],
      retainData: false,
    });
  });

  it.each([
    [{ domainName: 'berth.example.com' }, 'certificateArn'],
    [{ nodesDomain: 'nodes.example.com' }, 'nodesZoneId'],
    [{ hostedZoneId: 'Z1' }, 'hostedZoneName'],
    [{ publicUrl: 'not a url' }, 'publicUrl'],
    [{ nodeCapacity: '0' }, 'nodeCapacity'],
    [{ signingKeyGenerations: [] }, 'signingKeyGenerations'],
    [{ deploymentId: 'Has Spaces' }, 'deploymentId'],
  ])('says what is wrong with %o', (context, named) => {
    expect(() => parseSettings(context)).toThrow(named);
  });
});
