import { Aws, Duration, Tags } from 'aws-cdk-lib';
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  InstanceInitiatedShutdownBehavior,
  InstanceType,
  type ISecurityGroup,
  LaunchTemplate,
  LaunchTemplateHttpTokens,
  MachineImage,
  type Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../acknowledge-wildcards.js';
import { acmeEnvironment } from '../acme-authority.js';
import type { Settings } from '../settings.js';
import type { PrivateBucket } from './private-bucket.js';
import { arn, type ServiceFunction } from './service-function.js';

interface NodeFleetProps {
  readonly settings: Settings;
  readonly vpc: Vpc;
  readonly securityGroup: ISecurityGroup;
  readonly artifacts: PrivateBucket;
}

/** Of the node image. */
const rootDevice = '/dev/xvda';
const anyInstance = arn('ec2', 'instance/*');

/** How nodes are launched, and who may do it. */
export class NodeFleet extends Construct {
  readonly launchTemplateId: string;
  readonly subnetIds: readonly string[];
  private readonly role: Role;
  private readonly settings: Settings;
  private readonly securityGroupId: string;

  constructor(scope: Construct, id: string, { settings, vpc, securityGroup, artifacts }: NodeFleetProps) {
    super(scope, id);
    this.settings = settings;
    // Each launch names its type and disk.
    const [smallest] = settings.nodeInstanceTypes;
    if (!smallest) throw new Error('The deployment has no instance type');
    this.role = nodeRole(this, artifacts);
    this.securityGroupId = securityGroup.securityGroupId;
    this.subnetIds = vpc.publicSubnets.map(({ subnetId }) => subnetId);
    const template = new LaunchTemplate(this, 'LaunchTemplate', {
      // Looked up at each launch: a newly baked image is used without a deployment.
      machineImage: MachineImage.resolveSsmParameterAtLaunch(settings.nodeImageParameter),
      instanceType: new InstanceType(smallest.name),
      securityGroup,
      role: this.role,
      requireImdsv2: true,
      httpTokens: LaunchTemplateHttpTokens.REQUIRED,
      // One hop reaches the agent on the host and no container behind its bridge.
      httpPutResponseHopLimit: 1,
      instanceInitiatedShutdownBehavior: InstanceInitiatedShutdownBehavior.TERMINATE,
      ebsOptimized: true,
      blockDevices: [
        {
          deviceName: rootDevice,
          volume: BlockDeviceVolume.ebs(smallest.diskGb, {
            volumeType: EbsDeviceVolumeType.GP3,
            encrypted: true,
            deleteOnTermination: true,
          }),
        },
      ],
    });
    Tags.of(template).add('berth:stack', settings.deploymentId);
    const templateId = template.launchTemplateId;
    if (!templateId) throw new Error('The launch template has no id');
    this.launchTemplateId = templateId;
  }

  /** Grants launches from our template and subnets. Tags can be set at launch only. */
  grantRun(to: ServiceFunction, { callbackUrl }: { readonly callbackUrl: string }): void {
    const template = arn('ec2', `launch-template/${this.launchTemplateId}`);
    const ours = { ArnEquals: { 'ec2:LaunchTemplate': template } };
    const attached = [arn('ec2', 'volume/*'), arn('ec2', 'network-interface/*')];
    const because = 'The call creates the resource; the condition requires our launch template or our tag.';
    to.allow(['ec2:RunInstances'], template);
    to.allowPattern({
      actions: ['ec2:RunInstances'],
      resources: [...this.placesAndImages(), ...attached],
      conditions: ours,
      because,
    });
    to.allowPattern({
      actions: ['ec2:RunInstances'],
      resources: [anyInstance],
      conditions: { ...ours, StringEquals: { 'aws:RequestTag/berth:stack': this.settings.deploymentId } },
      because,
    });
    to.allowPattern({
      actions: ['ec2:CreateTags'],
      resources: [anyInstance, ...attached],
      conditions: { StringEquals: { 'ec2:CreateAction': 'RunInstances' } },
      because,
    });
    to.allowPattern({
      actions: ['iam:PassRole'],
      resources: [this.role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
      because: 'The resource is one role; the condition restricts the service that it is passed to.',
    });
    to.allow(['ssm:GetParameters'], arn('ssm', `parameter${this.settings.nodeImageParameter}`));
    to.setEnvironment({
      LAUNCH_TEMPLATE_ID: this.launchTemplateId,
      SUBNET_IDS: this.subnetIds.join(','),
      ROOT_DEVICE: rootDevice,
      CALLBACK_URL: callbackUrl,
      ...acmeEnvironment(this.settings),
      ...this.ec2Environment(),
    });
  }

  grantDescribe(to: ServiceFunction): void {
    to.allowPattern({
      actions: ['ec2:DescribeInstances'],
      resources: ['*'],
      because: 'DescribeInstances has no resource-level permissions; the action is read-only.',
    });
    to.setEnvironment(this.ec2Environment());
  }

  grantStart(to: ServiceFunction): void {
    this.grantOnOurs(to, ['ec2:StartInstances', 'ec2:ModifyInstanceAttribute']);
  }

  grantStop(to: ServiceFunction): void {
    this.grantOnOurs(to, ['ec2:StopInstances']);
  }

  grantTerminate(to: ServiceFunction): void {
    this.grantOnOurs(to, ['ec2:TerminateInstances']);
  }

  private grantOnOurs(to: ServiceFunction, actions: readonly string[]): void {
    to.allowPattern({
      actions,
      resources: [anyInstance],
      conditions: { StringEquals: { 'aws:ResourceTag/berth:stack': this.settings.deploymentId } },
      because: 'Instance ids are not known at deployment; the condition requires the launch tag.',
    });
    to.setEnvironment(this.ec2Environment());
  }

  /** The subnet and the image: ours, and whatever the template names. */
  private placesAndImages(): readonly string[] {
    return [
      ...this.subnetIds.map((subnetId) => arn('ec2', `subnet/${subnetId}`)),
      arn('ec2', `security-group/${this.securityGroupId}`),
      `arn:${Aws.PARTITION}:ec2:${Aws.REGION}::image/*`,
    ];
  }

  private ec2Environment(): Readonly<Record<string, string>> {
    const { ec2EndpointUrl } = this.settings;
    return ec2EndpointUrl ? { AWS_ENDPOINT_URL_EC2: ec2EndpointUrl } : {};
  }
}

/**
 * What a node may do in AWS: read release artefacts. Whoever breaks out of a container gains
 * nothing else.
 */
function nodeRole(scope: Construct, artifacts: PrivateBucket): Role {
  const role = new Role(scope, 'NodeRole', {
    assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
    description: 'Berth nodes: read-only access to release artefacts',
    maxSessionDuration: Duration.hours(1),
  });
  const releases = artifacts.objectsBelow('agents');
  role.addToPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: [releases] }));
  acknowledgeWildcards(role, [releases], 'A node may fetch any release: which one is decided when it boots.');
  return role;
}
