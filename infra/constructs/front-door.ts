import { Annotations, Aws, Duration, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  PriceClass,
  type ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { originSecretHeader } from '../../lambdas/route-row.js';
import type { Settings } from '../settings.js';
import { apiHost } from './api-host.js';
import type { PrivateBucket } from './private-bucket.js';
import { securityHeaders } from './security-headers.js';

interface FrontDoorProps {
  readonly settings: Settings;
  readonly console: PrivateBucket;
  readonly artifacts: PrivateBucket;
  readonly httpApiId: string;
  readonly webSocketApiId: string;
  /** The APIs answer people only with it. */
  readonly originSecret: string;
}

/** Paths that functions answer, never from a cache. */
const functionPaths = ['/api/*', '/ai/*', '/oauth/*', '/connect/*', '/mcp', '/health'];

/** All error statuses for which CloudFront accepts a cache time; its default is 10 seconds. */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** Public documents: cached for as long as their own Cache-Control says. */
const documentPaths = [
  '/.well-known/*',
  '/openapi.json',
  '/openapi-callbacks.json',
  '/docs',
  '/api/agent/download',
];

/**
 * One address for console, API, release artefacts and live socket: cookies stay host-only, and no
 * CORS exists.
 */
export class FrontDoor extends Construct {
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, props: FrontDoorProps) {
    super(scope, id);
    const { settings, console, artifacts } = props;
    const headers = securityHeaders(this, settings.deploymentId);
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `Berth ${settings.deploymentId}`,
      // North America and Europe: the cheapest class, and terminals do not come this way.
      priceClass: PriceClass.PRICE_CLASS_100,
      ...ownDomain(this, settings),
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      defaultBehavior: {
        origin: bucketOrigin(this, 'ConsoleOrigin', { bucket: console, settings }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: headers,
        functionAssociations: [{ function: pageOf(this), eventType: FunctionEventType.VIEWER_REQUEST }],
      },
      additionalBehaviors: this.behaviours(
        props,
        headers,
        bucketOrigin(this, 'ArtifactsOrigin', { bucket: artifacts, settings }),
      ),
    });
    acknowledge(this.distribution);
  }

  private behaviours(
    { httpApiId, webSocketApiId, originSecret }: FrontDoorProps,
    responseHeadersPolicy: ResponseHeadersPolicy,
    artifacts: IOrigin,
  ): Record<string, BehaviorOptions> {
    const uncached = {
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // The Host header must be the origin's own, or API Gateway does not know its API.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy,
    };
    const api = apiOrigin(httpApiId, originSecret);
    const documents = { ...uncached, origin: api, cachePolicy: originDecides(this) };
    return {
      // CloudFront takes the first pattern that matches: the download route comes before /api/*.
      ...Object.fromEntries(documentPaths.map((path) => [path, documents])),
      ...Object.fromEntries(functionPaths.map((path) => [path, { ...uncached, origin: api }])),
      // The stage is named `live`, so the path that viewers ask for is the stage's own.
      '/live': { ...uncached, origin: apiOrigin(webSocketApiId, originSecret) },
      '/artifacts/*': {
        origin: artifacts,
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy,
        functionAssociations: [
          { function: withoutPrefix(this), eventType: FunctionEventType.VIEWER_REQUEST },
        ],
      },
    };
  }
}

function apiOrigin(apiId: string, originSecret: string): HttpOrigin {
  return new HttpOrigin(apiHost(apiId), {
    customHeaders: { [originSecretHeader]: originSecret },
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    readTimeout: Duration.seconds(30),
  });
}

interface BucketOriginProps {
  readonly bucket: PrivateBucket;
  readonly settings: Settings;
}

function bucketOrigin(scope: Construct, id: string, props: BucketOriginProps): IOrigin {
  const { bucket } = props.bucket;
  // Taken by its attributes: its policy is written where it lives, or the two stacks would depend
  // on each other.
  const imported = Bucket.fromBucketAttributes(scope, id, {
    bucketArn: bucket.bucketArn,
    bucketRegionalDomainName: bucket.bucketRegionalDomainName,
  });
  Annotations.of(scope).acknowledgeWarning('@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac');
  const originAccessControl = new S3OriginAccessControl(scope, `${id}Access`, {
    originAccessControlName: `${props.settings.deploymentId}-${id}-${Aws.REGION}`,
  });
  return S3BucketOrigin.withOriginAccessControl(imported, { originAccessControl });
}

/** Caches only what Cache-Control allows. The query is part of the cache key, cookies are not. */
function originDecides(scope: Construct): CachePolicy {
  return new CachePolicy(scope, 'OriginDecides', {
    comment: 'Berth: cache only what Cache-Control allows',
    defaultTtl: Duration.seconds(0),
    minTtl: Duration.seconds(0),
    maxTtl: Duration.days(365),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    enableAcceptEncodingGzip: true,
    enableAcceptEncodingBrotli: true,
  });
}

/** The console routes in the browser: a path without an extension is its one page. */
function pageOf(scope: Construct): EdgeFunction {
  return edgeFunction(
    scope,
    'ConsolePage',
    "if (request.uri.lastIndexOf('.') <= request.uri.lastIndexOf('/')) request.uri = '/index.html';",
  );
}

/** `/artifacts/agents/…` is `agents/…` in its bucket. */
function withoutPrefix(scope: Construct): EdgeFunction {
  return edgeFunction(scope, 'ArtifactKey', "request.uri = request.uri.slice('/artifacts'.length);");
}

function edgeFunction(scope: Construct, id: string, statement: string): EdgeFunction {
  return new EdgeFunction(scope, id, {
    runtime: FunctionRuntime.JS_2_0,
    code: FunctionCode.fromInline(
      `function handler(event) {\n  var request = event.request;\n  ${statement}\n  return request;\n}`,
    ),
  });
}

function ownDomain(scope: Construct, { domainName, certificateArn }: Settings) {
  if (!domainName || !certificateArn) return {};
  return {
    domainNames: [domainName],
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
  };
}

function acknowledge(distribution: Distribution): void {
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Where people may work from is the operator’s to decide, not ours.' },
    {
      id: 'AwsSolutions-CFR2',
      reason:
        'A web ACL costs more a month than all of this while idle; API Gateway throttles, routes rate-limit.',
    },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'The HTTP API writes access logs of what matters; static files need none.',
    },
    {
      id: 'AwsSolutions-CFR4',
      reason: 'Without an own domain the certificate is CloudFront’s; with one, TLS 1.2 (2021) is the least.',
    },
  );
}
