import { Unavailable } from './errors.js';
import { type ObjectCall, type ObjectStore, requestObject } from './object-store.js';

export interface GzipObjects {
  readonly objects: ObjectStore;
  readonly now: Date;
}

/** Small objects: a request waits for the answer. */
const timeoutMs = 5_000;

const unavailable = (cause: unknown) =>
  new Unavailable('The object store does not answer. Try again.', { cause });

async function send({ objects, now }: GzipObjects, request: ObjectCall): Promise<Response> {
  const response = await requestObject(objects, { ...request, now, timeoutMs }).catch((cause: unknown) => {
    throw unavailable(cause);
  });
  if (!response.ok && response.status !== 404)
    throw unavailable(`The object store answered ${response.status}`);
  return response;
}

/** Stores compressed content. A repeat replaces it. @throws {Unavailable} */
export async function putGzip(store: GzipObjects, key: string, body: Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/gzip' };
  const { ok, status } = await send(store, { method: 'PUT', key, headers, body });
  if (!ok) throw unavailable(`The object store answered ${status}`);
}

/** The compressed content; undefined when there is none. @throws {Unavailable} */
export async function getGzip(store: GzipObjects, key: string): Promise<Uint8Array | undefined> {
  const response = await send(store, { method: 'GET', key });
  if (response.status === 404) return undefined;
  const content = await response.arrayBuffer().catch((cause: unknown) => {
    throw unavailable(cause);
  });
  return new Uint8Array(content);
}

/** A repeat is no failure. @throws {Unavailable} */
export async function deleteGzip(store: GzipObjects, key: string): Promise<void> {
  await send(store, { method: 'DELETE', key });
}
