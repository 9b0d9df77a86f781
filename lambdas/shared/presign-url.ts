import { createHash, createHmac } from 'node:crypto';

export interface RequestToSign {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Of the object, its name in it already encoded. */
  readonly url: URL;
  /** What the request must send just so; the host is always among it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
  readonly expiresInSeconds: number;
  readonly now: Date;
}

export const algorithm = 'AWS4-HMAC-SHA256';

/**
 * An address that takes this one request until it expires, whoever sends it: AWS Signature Version
 * 4 in the query. The SDK has a package for it, of which we would use this one function.
 */
export function presignUrl(toSign: RequestToSign): string {
  const { method, url, headers, region, credentials, expiresInSeconds, now } = toSign;
  const at = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${at.slice(0, 8)}/${region}/s3/aws4_request`;
  const signed = Object.entries({ ...headers, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const query = canonicalQuery({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': at,
    'X-Amz-Expires': String(expiresInSeconds),
    ...(credentials.sessionToken ? { 'X-Amz-Security-Token': credentials.sessionToken } : {}),
    'X-Amz-SignedHeaders': signed.map(([name]) => name).join(';'),
  });
  const request = [
    method,
    url.pathname,
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    signed.map(([name]) => name).join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const signature = signatureV4(request, { at, scope, secretAccessKey: credentials.secretAccessKey });
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signature}`;
}

interface SigningScope {
  /** As the request states it: `20261128T131500Z`. */
  readonly at: string;
  /** Day, region, service and `aws4_request`. */
  readonly scope: string;
  readonly secretAccessKey: string;
}

/** The signature of a canonical request of AWS Signature Version 4. */
export function signatureV4(request: string, { at, scope, secretAccessKey }: SigningScope): string {
  const text = [algorithm, at, scope, createHash('sha256').update(request).digest('hex')].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${secretAccessKey}`,
    );
  return createHmac('sha256', key).update(text).digest('hex');
}

export const canonicalQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${encodeUri(name)}=${encodeUri(value)}`)
    .toSorted()
    .join('&');

/** As AWS does: `encodeURIComponent` leaves five characters too many. */
export const encodeUri = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
