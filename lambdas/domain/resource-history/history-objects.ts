import type { ResourceChunk } from '../../../protocol/resource-history.js';
import { type GzipObjects, getGzip, putGzip } from '../../shared/gzip-objects.js';
import { packContent, unpackContent } from './chunk-content.js';

export type HistoryObjects = GzipObjects;

/**
 * Stores the content of a chunk. A repeat stores the same again.
 *
 * @throws {Unavailable}
 */
export const putContent = (store: HistoryObjects, key: string, chunk: ResourceChunk): Promise<void> =>
  putGzip(store, key, packContent(chunk));

/**
 * Null when the object has expired.
 *
 * @throws {Unavailable}
 */
export async function getContent(store: HistoryObjects, key: string): Promise<ResourceChunk | null> {
  const stored = await getGzip(store, key);
  return stored ? unpackContent(stored) : null;
}
