import type { ResourceChunk } from '../../../protocol/resource-history.js';
import { Unavailable } from '../../shared/errors.js';
import { type ObjectCall, type ObjectStore, requestObject } from '../../shared/object-store.js';
import { packContent, unpackContent } from './chunk-content.js';

export interface HistoryObjects {
  readonly objects: ObjectStore;
  readonly now: Date;
}

const timeoutMs = 5_000;
const unavailable = (cause: unknown) =>
  new Unavailable('The object store does not answer. Try again.', { cause });

/** @throws {Unavailable} no answer, or this takes too long */
const send = ({ objects, now }: HistoryObjects, request: ObjectCall): Promise<Response> =>
  requestObject(objects, { ...request, now, timeoutMs }).catch((cause: unknown) => {
    throw unavailable(cause);
  });

/**
 * Stores the content of a chunk. A repeat stores the same again.
 *
 * @throws {Unavailable}
 */
export async function putContent(store: HistoryObjects, key: string, chunk: ResourceChunk): Promise<void> {
  const headers = { 'content-type': 'application/gzip' };
  const { ok, status } = await send(store, { method: 'PUT', key, headers, body: packContent(chunk) });
  if (!ok) throw unavailable(`The object store answered ${status}`);
}

/**
 * Null when the object has expired.
 *
 * @throws {Unavailable}
 */
export async function getContent(store: HistoryObjects, key: string): Promise<ResourceChunk | null> {
  const response = await send(store, { method: 'GET', key });
  if (response.status === 404) return null;
  if (!response.ok) throw unavailable(`The object store answered ${response.status}`);
  const stored = await response.arrayBuffer().catch((cause: unknown) => {
    throw unavailable(cause);
  });
  return unpackContent(new Uint8Array(stored));
}
