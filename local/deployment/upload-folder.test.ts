import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { uploadFolder } from './upload-folder.js';

it('puts a page after all files that it names, and not when one of them failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'upload-'));
  try {
    mkdirSync(join(folder, 'assets'));
    for (const name of ['index.html', 'assets/main-1.js', 'favicon.svg'])
      writeFileSync(join(folder, name), name);
    const put: string[] = [];
    const bucket = (failing?: string) =>
      ({
        send: async ({ input }: PutObjectCommand) => {
          await new Promise(setImmediate);
          if (input.Key === failing) throw new Error('Access denied');
          put.push(String(input.Key));
        },
      }) as unknown as S3Client;

    expect(await uploadFolder(bucket(), 'console', folder)).toBe(3);
    expect(put.at(-1)).toBe('index.html');

    put.length = 0;
    await expect(uploadFolder(bucket('assets/main-1.js'), 'console', folder)).rejects.toThrow('denied');
    expect(put).not.toContain('index.html');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
