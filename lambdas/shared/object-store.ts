import type { S3Client } from '@aws-sdk/client-s3';
import { presignUrl, type RequestToSign } from './presign-url.js';

/** A bucket, with whom to ask for it. */
export interface ObjectStore {
  readonly s3: S3Client;
  readonly bucket: string;
  /** Of an emulator, whose buckets are paths of it. */
  readonly endpoint?: string | undefined;
}

export interface ObjectRequest
  extends Pick<RequestToSign, 'method' | 'headers' | 'expiresInSeconds' | 'now'> {
  readonly key: string;
}

/** The name of an object where it stands in an address. */
export const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

/** An address that takes this one request for an object until it expires, whoever sends it. */
export async function presignObject(store: ObjectStore, { key, ...request }: ObjectRequest): Promise<string> {
  const { config } = store.s3;
  const region = await config.region();
  const url = objectUrl(store, region, encodeKey(key));
  return presignUrl({ ...request, url, region, credentials: await config.credentials() });
}

function objectUrl({ bucket, endpoint }: ObjectStore, region: string, path: string): URL {
  if (endpoint) return new URL(`/${bucket}/${path}`, endpoint);
  return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${path}`);
}
