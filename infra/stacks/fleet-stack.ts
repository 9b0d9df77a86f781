import { Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { IpAddresses, type IVpc, Peer, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { acmeAuthority, challengePort } from '../acme-authority.js';
import { NodeFleet } from '../constructs/node-fleet.js';
import type { PrivateBucket } from '../constructs/private-bucket.js';
import type { Settings } from '../settings.js';

/** Port of every node agent, HTTPS. */
const agentPort = 8443;

interface FleetStackProps extends StackProps {
  readonly settings: Settings;
  readonly artifacts: PrivateBucket;
}

/** Where nodes live. Nothing here is billed while no node runs. */
export class FleetStack extends Stack {
  readonly fleet: NodeFleet;

  constructor(scope: Construct, id: string, { settings, artifacts, ...props }: FleetStackProps) {
    super(scope, id, props);
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.40.0.0/16'),
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: 'nodes', subnetType: SubnetType.PUBLIC, cidrMask: 20 }],
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason: 'Flow logs are billed by volume and nodes clone repositories all day; operators may add them.',
    });
    const securityGroup = new SecurityGroup(this, 'Nodes', {
      // The library's own class and interface differ only in how an optional property may be
      // undefined.
      vpc: vpc as IVpc,
      description: 'Berth nodes: inbound to the agent port, all outbound',
      allowAllOutbound: true,
    });
    securityGroup.addIngressRule(Peer.anyIpv4(), Port.tcp(agentPort), 'Node agent, TLS and a JWT a request');
    if (acmeAuthority(settings) !== null)
      securityGroup.addIngressRule(
        Peer.anyIpv4(),
        Port.tcp(challengePort),
        'Challenge of the certificate authority, open during a validation',
      );
    Validations.of(securityGroup).acknowledge({
      id: 'AwsSolutions-EC23',
      reason:
        'Browsers open terminals straight on the node: 8443, TLS, every request needs a JWT. On 80 a node answers challenges of its certificate authority.',
    });
    this.fleet = new NodeFleet(this, 'Fleet', { settings, vpc, securityGroup, artifacts });
  }
}
