import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { redactedLines } from './redacted-lines.js';

it('removes private keys, tokens and passwords', async () => {
  const text = [
    'before token=abc',
    '-----BEGIN RSA PRIVATE KEY-----',
    'MIIEowIBAAKCAQEA',
    '-----END RSA PRIVATE KEY-----',
    'https://me:hunter2@host/x',
  ].join('\n');

  const lines = await Readable.from(
    redactedLines(Readable.from([text.slice(0, 50), text.slice(50)])),
  ).toArray();

  expect(lines).toEqual(['before token=[redacted]\n', '[redacted]\n', 'https://[redacted]@host/x\n']);
});
