import { gunzipSync } from 'node:zlib';
import {
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../lambdas/shared/table.js';
import { wordPattern } from '../../support/acp-harness/request-words.js';

/** Collects where these words are readable: as they are, in base64 and compressed. */
export class Reader {
  readonly found: string[] = [];
  /** Numbers of searched rows and objects. */
  readonly counts = { rows: 0, objects: 0 };

  constructor(private readonly secret: ReadonlySet<string>) {}

  async readTable({ client, name }: Table): Promise<void> {
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new ScanCommand({ TableName: name, ExclusiveStartKey, ConsistentRead: true }),
      );
      for (const item of page.Items ?? []) this.read(`${item.pk} ${item.sk}`, item);
      this.counts.rows += page.Items?.length ?? 0;
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }

  async readObjects(s3: S3Client): Promise<void> {
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
    for (const { Name: Bucket } of Buckets) {
      let ContinuationToken: string | undefined;
      do {
        const page = await s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
        for (const { Key } of page.Contents ?? []) {
          const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
          this.read(`${Bucket}/${Key}`, await Body?.transformToByteArray());
          this.counts.objects += 1;
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken);
    }
  }

  /** `content`: text, bytes, or anything that has them. */
  read(name: string, content: unknown): void {
    for (const text of textsOf(content))
      for (const [word] of text.matchAll(wordPattern))
        if (this.secret.has(word)) this.found.push(`${word} in ${name}`);
  }
}

function* textsOf(content: unknown): Generator<string> {
  if (typeof content === 'string') {
    yield content;
    if (/^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(content)) yield* textsOfBytes(Buffer.from(content, 'base64'));
  } else if (content instanceof Uint8Array) {
    yield* textsOfBytes(Buffer.from(content));
  } else if (typeof content === 'object' && content !== null) {
    const parts = content instanceof Set ? content : Object.entries(content).flat();
    for (const part of parts) yield* textsOf(part);
  }
}

function* textsOfBytes(bytes: Buffer): Generator<string> {
  yield bytes.toString('latin1');
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) yield gunzipSync(bytes).toString('latin1');
}
