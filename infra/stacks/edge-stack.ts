import { Annotations, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import { apiHost } from '../constructs/api-host.js';
import { FrontDoor } from '../constructs/front-door.js';
import { HttpApi } from '../constructs/http-api.js';
import { LiveApi } from '../constructs/live-api.js';
import type { Settings } from '../settings.js';
import { sharedSite } from '../shared-site.js';
import type { DataStack } from './data-stack.js';

interface EdgeStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/**
 * What clients connect to: the two APIs, still without routes, and the one address in front of
 * them.
 */
export class EdgeStack extends Stack {
  readonly httpApi: HttpApi;
  readonly liveApi: LiveApi;
  readonly publicUrl: string;
  /**
   * In every token, and where its keys are. It stays when a domain is added or removed: running
   * nodes and agents have tokens of it, and CloudFront answers at its own name in both cases.
   */
  readonly tokenIssuer: string;
  /**
   * Where nodes call: the API itself, since CloudFront does nothing for a request of theirs and
   * asks for as much.
   */
  readonly callbackUrl: string;

  constructor(scope: Construct, id: string, { settings, data, ...props }: EdgeStackProps) {
    super(scope, id, props);
    this.httpApi = new HttpApi(this, 'Http', { name: `${settings.deploymentId}-api` });
    this.liveApi = new LiveApi(this, 'Live', {
      name: `${settings.deploymentId}-live`,
      endpointTemplate: settings.liveEndpointTemplate,
    });
    const { distribution } = new FrontDoor(this, 'FrontDoor', {
      settings,
      console: data.console,
      artifacts: data.artifacts,
      httpApiId: this.httpApi.apiId,
      webSocketApiId: this.liveApi.apiId,
      originSecret: data.originSecret.sent,
    });
    this.pointDomainAt(new CloudFrontTarget(distribution), settings);
    // Other stacks import it while there is no own domain, so it must outlive the change to one.
    this.exportValue(distribution.distributionDomainName);
    this.tokenIssuer = settings.publicUrl ?? `https://${distribution.distributionDomainName}`;
    this.publicUrl =
      settings.domainName && !settings.publicUrl ? `https://${settings.domainName}` : this.tokenIssuer;
    this.callbackUrl = settings.publicUrl ?? `https://${apiHost(this.httpApi.apiId)}`;
    this.warnOfSharedSite(settings);
    this.addOutputs();
  }

  private pointDomainAt(front: CloudFrontTarget, settings: Settings): void {
    const { domainName, hostedZoneId, hostedZoneName } = settings;
    if (!domainName || !hostedZoneId || !hostedZoneName) return;
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId,
      zoneName: hostedZoneName,
    });
    const target = RecordTarget.fromAlias(front);
    // The full name with its dot: a bare name would get the zone's appended.
    new ARecord(this, 'Ipv4', { zone, recordName: `${domainName}.`, target });
    new AaaaRecord(this, 'Ipv6', { zone, recordName: `${domainName}.`, target });
  }

  /** Pages of workspaces could set cookies for a domain that the console shares with them. */
  private warnOfSharedSite({ domainName, nodesDomain }: Settings): void {
    const shared = domainName && nodesDomain ? sharedSite(domainName, nodesDomain) : null;
    if (shared === null) return;
    Annotations.of(this).addWarningV2(
      'berth:nodesDomainSharesSite',
      `nodesDomain ${nodesDomain} and domainName ${domainName} share ${shared}. Unless ${shared} is on the Public Suffix List, ` +
        'a page of a workspace can set cookies for it and so sign people out of the console or make it unreachable for ' +
        'their browser. Use a nodesDomain under another registrable domain. See docs/deploying.md, "Two domains".',
    );
  }

  private addOutputs(): void {
    new CfnOutput(this, 'ApiUrl', { value: `${this.publicUrl}/api` });
    new CfnOutput(this, 'ConsoleUrl', { value: this.publicUrl });
    new CfnOutput(this, 'LiveUrl', { value: `${this.publicUrl}/live`.replace(/^http/, 'ws') });
    new CfnOutput(this, 'HttpApiId', { value: this.httpApi.apiId });
    new CfnOutput(this, 'WebSocketApiId', { value: this.liveApi.apiId });
  }
}
