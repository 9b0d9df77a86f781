import { expect, it } from 'vitest';
import { synthesise } from './testing.js';

it('caches no error reply: CloudFront keeps each status for 10 seconds unless its time is set', () => {
  const [distribution] = synthesise().of('AWS::CloudFront::Distribution');
  const config = JSON.parse(JSON.stringify(distribution?.Properties?.DistributionConfig));

  // All statuses for which CloudFront accepts a time.
  const statuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
  expect(config.CustomErrorResponses).toEqual(
    statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
  );
});
