import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** Shorter answers gain less than the compression costs. */
const minBytes = 64 * 2 ** 10;

/** Compresses a long JSON answer for a client that accepts gzip. CloudFront does not. */
export function compressReply(
  reply: APIGatewayProxyStructuredResultV2,
  acceptEncoding: string | undefined,
): APIGatewayProxyStructuredResultV2 {
  const { body, headers } = reply;
  const isJson = headers?.['content-type'] === 'application/json';
  if (!isJson || !body || body.length < minBytes || !accepts(acceptEncoding)) return reply;
  return {
    ...reply,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
    body: gzipSync(body).toString('base64'),
    isBase64Encoded: true,
  };
}

const accepts = (acceptEncoding = ''): boolean =>
  acceptEncoding.split(',').some((part) => {
    const [name = '', weight] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return name === 'gzip' && !/^q=0(\.0*)?$/.test(weight ?? '');
  });
