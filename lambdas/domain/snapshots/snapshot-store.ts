import { createHash } from 'node:crypto';
import {
  type ObjectCall,
  type ObjectStore,
  presignObject,
  requestObject,
} from '../../shared/object-store.js';
import { SnapshotNotVerified } from './errors.js';
import type { SnapshotObjects, StoredObject } from './snapshot.js';

/** Longer than a download of the largest object within a region. */
const timeoutMs = 45_000;
/** Addresses for nodes; SESSION_SNAPSHOT_UPLOAD_URL_TTL_SECONDS. */
const addressSeconds = 900;

export interface SnapshotStore {
  readonly objects: ObjectStore;
  readonly now: Date;
}

const call = ({ objects, now }: SnapshotStore, request: ObjectCall): Promise<Response> =>
  requestObject(objects, { ...request, now, timeoutMs });

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

const base64Of = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64');

/** @throws for any status but 2xx */
export async function putObject(
  store: SnapshotStore,
  { key, sha256 }: Pick<StoredObject, 'key' | 'sha256'>,
  body: string,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-amz-checksum-sha256': base64Of(sha256) };
  const response = await call(store, { method: 'PUT', key, headers, body });
  if (!response.ok) throw new Error(`The object store answered ${response.status}`);
}

/** @throws {SnapshotNotVerified} an object is missing or differs from its record */
export async function requireObjects(store: SnapshotStore, objects: SnapshotObjects): Promise<void> {
  for (const name of ['manifest', 'home', 'wip'] as const) {
    const object = objects[name];
    const difference = object && (await differenceOf(store, object));
    if (difference) throw new SnapshotNotVerified(`The stored ${name} ${difference}.`);
  }
}

/** The size and hash of a stored object, as a text for the error; undefined when it is as given. */
async function differenceOf(store: SnapshotStore, expected: StoredObject): Promise<string | undefined> {
  const { key, sizeBytes, sha256 } = expected;
  const head = await call(store, { method: 'HEAD', key, headers: { 'x-amz-checksum-mode': 'ENABLED' } });
  if (head.status === 404) return 'is missing';
  if (!head.ok) throw new Error(`The object store answered ${head.status}`);
  const size = Number(head.headers.get('content-length'));
  if (size !== sizeBytes) return `has ${size} bytes instead of ${sizeBytes}`;
  const checksum = head.headers.get('x-amz-checksum-sha256');
  const same = checksum ? checksum === base64Of(sha256) : (await hashObject(store, key)) === sha256;
  return same ? undefined : 'has another hash than the manifest';
}

async function hashObject(store: SnapshotStore, key: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await openObject(store, key)) hash.update(chunk);
  return hash.digest('hex');
}

/** @throws for any status but 2xx */
export async function readObject(store: SnapshotStore, key: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await openObject(store, key)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function openObject(store: SnapshotStore, key: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await call(store, { method: 'GET', key });
  if (!response.ok || !response.body) throw new Error(`The object store answered ${response.status}`);
  // Node's streams are iterable; the type of the browser's is not.
  return response.body as unknown as AsyncIterable<Uint8Array>;
}

/** Missing objects count as deleted. */
export async function deleteObjects(store: SnapshotStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const response = await call(store, { method: 'DELETE', key });
    if (!response.ok && response.status !== 404)
      throw new Error(`The object store answered ${response.status}`);
  }
}

/** An address that accepts one PUT of exactly this content. */
export async function uploadOf({ objects, now }: SnapshotStore, { key, sizeBytes, sha256 }: StoredObject) {
  const headers = { 'content-length': String(sizeBytes), 'x-amz-checksum-sha256': base64Of(sha256) };
  const put = { method: 'PUT', key, headers, expiresInSeconds: addressSeconds, now } as const;
  return { uploadUrl: await presignObject(objects, put), headers };
}

export const downloadOf = ({ objects, now }: SnapshotStore, { key }: StoredObject): Promise<string> =>
  presignObject(objects, { method: 'GET', key, headers: {}, expiresInSeconds: addressSeconds, now });
