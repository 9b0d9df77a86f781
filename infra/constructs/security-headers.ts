import { Duration } from 'aws-cdk-lib';
import { HeadersFrameOption, HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';

/**
 * Terminals connect to nodes, whose addresses are not known beforehand: hence `wss:` and `https:` for connections.
 * A sign-in form is answered by a redirect to the code host, which browsers hold against `form-action`.
 * Nothing is loaded from elsewhere; inline styles are what the terminal emulator sets.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "connect-src 'self' https: wss:",
  "img-src 'self' data: https:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self' https:",
  "frame-ancestors 'none'",
].join('; ');

export function securityHeaders(scope: Construct): ResponseHeadersPolicy {
  // A function's own header wins: the API documents page brings a policy of its own.
  const override = false;
  return new ResponseHeadersPolicy(scope, 'SecurityHeaders', {
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: HeadersFrameOption.DENY, override },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.STRICT_ORIGIN_WHEN_CROSS_ORIGIN, override },
      strictTransportSecurity: {
        accessControlMaxAge: Duration.days(365),
        includeSubdomains: false,
        override: true,
      },
    },
  });
}
