import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DiskBudget } from '../streams/disk-budget.js';

const usualIdleMs = 30_000;

/** The URL is a secret: the message names only its host. */
export class TransferError extends Error {
  constructor(url: string, what: string, options?: ErrorOptions) {
    super(`${new URL(url).host} ${what}`, options);
    this.name = 'TransferError';
  }
}

/** The file of an object, or a part of it, in few reads. `end` is inclusive. */
export const readObject = (
  path: string,
  part: { readonly start?: number; readonly end?: number } = {},
): Readable => createReadStream(path, { ...part, highWaterMark: 1_024 * 1_024 });

interface Upload {
  readonly body: Readable;
  readonly sizeBytes: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Longest time without a byte. */
  readonly idleMs?: number;
}

/** Uploads an object with one PUT. Follows no redirects. */
export async function uploadObject({ body, sizeBytes, headers, ...upload }: Upload): Promise<void> {
  const { url, signal } = upload;
  const request = open(upload, 'PUT', { ...headers, 'content-length': String(sizeBytes) });
  const answered = answerTo(request, url);
  answered.catch(() => undefined);
  await pipeline(body, request, { signal }).catch((cause: unknown) => {
    throw new TransferError(url, 'did not take the object', { cause });
  });
  const response = await answered;
  response.resume();
  if (response.statusCode !== 200 && response.statusCode !== 201 && response.statusCode !== 204)
    throw new TransferError(url, `answered ${response.statusCode} to the upload`);
}

interface Download {
  readonly url: string;
  readonly path: string;
  /** Largest accepted size. */
  readonly sizeBytes: number;
  readonly disk: Pick<DiskBudget, 'take'>;
  readonly signal: AbortSignal;
  readonly idleMs?: number;
}

/** Downloads an object. Returns its SHA-256. */
export async function downloadObject({ path, sizeBytes, disk, ...download }: Download): Promise<string> {
  const { url, signal } = download;
  const request = open(download, 'GET', {});
  request.end();
  const response = await answerTo(request, url);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new TransferError(url, `answered ${response.statusCode} to the download`);
  }
  const hash = createHash('sha256');
  let size = 0;
  const check = new Transform({
    transform: (chunk: Buffer, _, done) => {
      size += chunk.length;
      hash.update(chunk);
      if (size > sizeBytes) done(new TransferError(url, 'holds more than the snapshot has'));
      else disk.take(chunk.length).then(() => done(null, chunk), done);
    },
  });
  await pipeline(response, check, createWriteStream(path, { mode: 0o600 }), { signal });
  return hash.digest('hex');
}

type Transfer = Pick<Upload, 'url' | 'signal' | 'idleMs'>;

function open(
  { url, signal, idleMs = usualIdleMs }: Transfer,
  method: string,
  headers: Record<string, string>,
) {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  const request = start(url, { method, headers, signal });
  request.setTimeout(idleMs, () => request.destroy(new TransferError(url, 'was silent for too long')));
  return request;
}

function answerTo(request: ReturnType<typeof open>, url: string) {
  return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', (cause) => reject(new TransferError(url, 'could not be reached', { cause })));
  });
}
