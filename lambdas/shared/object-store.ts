import { presignUrl, type RequestToSign } from './presign-url.js';

/** A bucket and its signing credentials. The SDK's client would be a seventh of a bundle. */
export interface ObjectStore {
  readonly bucket: string;
  readonly region: string;
  readonly credentials: () => Promise<RequestToSign['credentials']>;
  /** Of an emulator, whose buckets are paths of it. */
  readonly endpoint?: string | undefined;
}

interface ObjectRequest extends Pick<RequestToSign, 'method' | 'headers' | 'expiresInSeconds' | 'now'> {
  readonly key: string;
}

/** The name of an object where it stands in an address. */
export const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

/** An address that takes this one request for an object until it expires, whoever sends it. */
export async function presignObject(store: ObjectStore, { key, ...request }: ObjectRequest): Promise<string> {
  const { region } = store;
  return presignUrl({
    ...request,
    url: objectUrl(store, key),
    region,
    credentials: await store.credentials(),
  });
}

export interface ObjectCall extends Pick<ObjectRequest, 'method' | 'key'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface TimedCall extends ObjectCall {
  readonly now: Date;
  readonly timeoutMs: number;
}

/** Sends a request for an object, whatever the answer. */
export async function requestObject(
  store: ObjectStore,
  { method, key, headers = {}, body, now, timeoutMs }: TimedCall,
): Promise<Response> {
  const url = await presignObject(store, { method, key, headers, expiresInSeconds: 60, now });
  const signal = AbortSignal.timeout(timeoutMs);
  const request = { method, headers, signal, redirect: 'error', ...(body === undefined ? {} : { body }) };
  return fetch(url, request as RequestInit);
}

function objectUrl({ bucket, region, endpoint }: ObjectStore, key: string): URL {
  if (endpoint) return new URL(`/${bucket}/${encodeKey(key)}`, endpoint);
  return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${encodeKey(key)}`);
}
