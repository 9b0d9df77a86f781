import { Aws, Duration } from 'aws-cdk-lib';
import { HeadersFrameOption, HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { contentSecurityPolicy, isolationHeaders } from '../security-header-values.js';

export function securityHeaders(scope: Construct, deploymentId: string): ResponseHeadersPolicy {
  // A function's own header wins: the API documents page brings a policy of its own.
  const override = false;
  return new ResponseHeadersPolicy(scope, 'SecurityHeaders', {
    // Names of CloudFront are unique in the account, over all regions.
    responseHeadersPolicyName: `${deploymentId}-security-headers-${Aws.REGION}`,
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy: contentSecurityPolicy(), override },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: HeadersFrameOption.DENY, override },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.STRICT_ORIGIN_WHEN_CROSS_ORIGIN, override },
      strictTransportSecurity: {
        accessControlMaxAge: Duration.days(365),
        includeSubdomains: false,
        override: true,
      },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(isolationHeaders).map(([header, value]) => ({ header, value, override })),
    },
  });
}
