import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  NoSuchBucket,
  NoSuchKey,
  type S3Client,
} from '@aws-sdk/client-s3';
import { compresses, quickBrotli } from './compression.js';

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Berth</title>
<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>Berth runs, its console is not built</h1>
<p>The API is here: <a href="/docs">its documentation</a>, <a href="/openapi.json">the OpenAPI document</a>, <a href="/health">health</a>.</p>
<p>End Berth with Ctrl-C and run <code>npm start</code> again in a checkout that holds <code>web/</code>.</p></html>`;

/**
 * Serves buckets as the distribution does: artefacts by their key, the console with its page for
 * unknown paths.
 */
export class Objects {
  constructor(
    private readonly s3: S3Client,
    private readonly buckets: { readonly console: string; readonly artifacts: string },
  ) {}

  async artifact(key: string, response: ServerResponse): Promise<void> {
    if (await this.send(this.buckets.artifacts, key, response)) return;
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'NOT_FOUND', message: 'There is no such artefact' }));
  }

  async page(key: string, response: ServerResponse): Promise<void> {
    if (key !== '' && (await this.send(this.buckets.console, key, response))) return;
    // Its own pages have no extension; a missing file must not look like a page.
    if (/\.\w+$/.test(key) && key !== 'index.html') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
      return;
    }
    if (await this.send(this.buckets.console, 'index.html', response)) return;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(notBuilt);
  }

  private async send(bucket: string, key: string, response: ServerResponse): Promise<boolean> {
    const object = await this.s3
      .send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      .catch((error: unknown) => {
        if (error instanceof NoSuchKey || error instanceof NoSuchBucket) return undefined;
        throw error;
      });
    if (!object) return false;
    const isCompressed = compresses(response.req.headers['accept-encoding'], object);
    response.writeHead(200, headersOf(object, isCompressed));
    if (!(object.Body instanceof Readable)) response.end();
    else if (isCompressed) pipeline(object.Body, quickBrotli(), response, () => undefined);
    else object.Body.pipe(response);
    return true;
  }
}

function headersOf(object: GetObjectCommandOutput, isCompressed: boolean): OutgoingHttpHeaders {
  const ofCompressed = { 'content-encoding': 'br', vary: 'accept-encoding' };
  const ofWhole = object.ContentLength === undefined ? {} : { 'content-length': object.ContentLength };
  return {
    'content-type': object.ContentType ?? 'application/octet-stream',
    ...(isCompressed ? ofCompressed : ofWhole),
    ...(object.CacheControl ? { 'cache-control': object.CacheControl } : {}),
    ...(object.ContentDisposition ? { 'content-disposition': object.ContentDisposition } : {}),
    ...(object.ETag ? { etag: object.ETag } : {}),
  };
}
