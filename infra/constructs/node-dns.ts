import { Aws } from 'aws-cdk-lib';
import type { Settings } from '../settings.js';
import type { ServiceFunction } from './service-function.js';

/** Records of nodes in the operator's zone, when there is one. */
export class NodeDns {
  constructor(private readonly settings: Settings) {}

  grantWrite(to: ServiceFunction): void {
    const { nodesDomain, nodesZoneId } = this.settings;
    if (!nodesDomain || !nodesZoneId) return;
    to.allowPattern({
      actions: ['route53:ChangeResourceRecordSets'],
      resources: [`arn:${Aws.PARTITION}:route53:::hostedzone/${nodesZoneId}`],
      conditions: {
        'ForAllValues:StringLike': {
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': [`*.${nodesDomain}`],
        },
        'ForAllValues:StringEquals': { 'route53:ChangeResourceRecordSetsRecordTypes': ['A'] },
      },
      because: 'The resource is one zone; the condition restricts changes to address records of nodes.',
    });
    to.setEnvironment({ NODES_DOMAIN: nodesDomain, NODES_ZONE_ID: nodesZoneId });
  }
}
