import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/**
 * Uploads a folder to a bucket, its pages last: they name the other files. Only file names in
 * `assets` carry a hash of their content.
 */
export async function uploadFolder(s3: S3Client, bucket: string, folder: string): Promise<number> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  const put = (name: string) =>
    s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: name,
        Body: readFileSync(join(folder, name)),
        ContentType: contentTypes[extname(name)] ?? 'application/octet-stream',
        CacheControl: name.startsWith('assets') ? 'public, max-age=31536000, immutable' : 'no-cache',
      }),
    );
  const isPage = (name: string) => extname(name) === '.html';
  await Promise.all(files.filter((name) => !isPage(name)).map(put));
  await Promise.all(files.filter(isPage).map(put));
  return files.length;
}
