import { describe, expect, it } from 'vitest';
import { parseSettings } from './settings.js';

const superadmins = '1001';
const small = { name: 't4g.large', vcpu: 2, memoryGb: 8, diskGb: 60 };

describe('parseSettings', () => {
  it('has a default for everything a first deployment needs', () => {
    expect(parseSettings({ superadmins })).toMatchObject({
      deploymentId: 'berth',
      signingKeyGenerations: [1],
      nodeCapacity: 3,
      retainData: true,
      nag: true,
      maxNodes: 50,
    });
  });

  it('reads numbers, lists and flags as the command line gives them, which is as text', () => {
    const context = {
      nodeReadyTimeoutSeconds: '20',
      signingKeyGenerations: '[1,2]',
      retainData: 'false',
      superadmins,
    };
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
    [{ channelLimits: '{"messageBytes":8000}' }, 'messageBytes'],
    [{ channelLimits: '{"rooms":1}' }, 'channelLimits'],
    [{ nodeInstanceTypes: '[]' }, 'nodeInstanceTypes'],
    [{ nodeInstanceTypes: 't4g.large' }, 'nodeInstanceTypes'],
    [{ nodeInstanceTypes: [small, { ...small, name: 'm7i.large', architecture: 'x86_64' }] }, 'architecture'],
    [{ nodeInstanceTypes: [small, small] }, 'once'],
    [{ cpuOvercommit: 0.5 }, 'cpuOvercommit'],
    [{ signingKeyGenerations: [] }, 'signingKeyGenerations'],
    [{ deploymentId: 'Has Spaces' }, 'deploymentId'],
    [{ localPushService: 'http://127.0.0.1:1' }, 'localPushService'],
    [
      { localPushService: 'http://127.0.0.1:1', publicUrl: 'https://berth.example.com' },
      'http://localhost:<port>',
    ],
    [{ localPushService: 'http://10.0.0.1:1', publicUrl: 'http://localhost:1' }, 'localPushService'],
  ])('says what is wrong with %o', (context, named) => {
    expect(() => parseSettings({ superadmins, ...context })).toThrow(named);
  });

  it.each([
    ['nodeCapcity', 'Do you mean nodeCapacity?'],
    ['allowedOrganizations', 'Do you mean allowedOrganisations?'],
    ['retaindata', 'Do you mean retainData?'],
    ['domainNmae', 'Do you mean domainName?'],
    ['retainDatas', 'Do you mean retainData?'],
    ['somethingElse', 'somethingElse is no setting\n'],
  ])('refuses the unknown name %s', (name, said) => {
    expect(() => parseSettings({ superadmins, [name]: '1' })).toThrow(said);
  });

  it("leaves CDK's own context alone", () => {
    const context = { '@aws-cdk/core:x': true, 'aws:cdk:toolkit': 'x', 'availability-zones:account=1': [] };

    expect(parseSettings({ superadmins, ...context }).given).toEqual({ superadmins });
  });

  it('knows what was given, as text, and gives an empty setting its default', () => {
    const types = [{ ...small }];
    const { given, domainName, maxNodes } = parseSettings({
      superadmins: 1001,
      retainData: false,
      nodeInstanceTypes: types,
      domainName: '',
      maxNodes: undefined,
    });

    expect(given).toEqual({
      superadmins: '1001',
      retainData: 'false',
      nodeInstanceTypes: JSON.stringify(types),
    });
    expect([domainName, maxNodes]).toEqual([undefined, 50]);
  });

  it.each([undefined, '', 'octo', '1001,octo', '0', '1,,2'])(
    'refuses %o as superadmins, and says how to find the id of an account',
    (named) => {
      expect(() => parseSettings({ superadmins: named })).toThrow(
        /https:\/\/api\.github\.com\/users\/<login>/,
      );
    },
  );

  it.each(['1001', '1001, 1002', 1001])('takes %o as superadmins', (named) => {
    expect(parseSettings({ superadmins: named }).superadmins).toBe(String(named));
  });
});
