import type { IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {}

/** The whole body of a small request. @throws {BodyTooLarge} */
export async function readBody(request: IncomingMessage, maxBytes = 1024 * 1024): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(`More than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
