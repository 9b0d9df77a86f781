import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compressReply } from './compress-reply.js';

const json = { 'content-type': 'application/json', 'x-request-id': 'r1' };
const long = { statusCode: 200, headers: json, body: JSON.stringify('x'.repeat(70_000)) };

describe('an answer', () => {
  it.each(['gzip', 'br;q=1.0, GZIP;q=0.5', 'deflate, gzip'])(
    'that is long is compressed for %s',
    (accepted) => {
      const { body = '', isBase64Encoded, headers } = compressReply(long, accepted);

      expect(headers).toEqual({ ...json, 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(isBase64Encoded).toBe(true);
      expect(gunzipSync(Buffer.from(body, 'base64')).toString()).toBe(long.body);
    },
  );

  it.each([undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.0', 'xgzip'])(
    'is sent as it is to a client that accepts %s',
    (accepted) => {
      expect(compressReply(long, accepted)).toBe(long);
    },
  );

  it('that is short, or no JSON, is sent as it is', () => {
    const short = { ...long, body: '{}' };
    const text = { ...long, headers: { ...json, 'content-type': 'text/plain' } };

    expect(compressReply(short, 'gzip')).toBe(short);
    expect(compressReply(text, 'gzip')).toBe(text);
  });
});
