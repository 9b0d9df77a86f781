import { expect, it } from 'vitest';
import { presignUrl } from './presign-url.js';

it('signs as AWS does in the example of its documentation', () => {
  const signed = presignUrl({
    method: 'GET',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    headers: {},
    region: 'us-east-1',
    credentials: {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    expiresInSeconds: 86_400,
    now: new Date('2013-05-24T00:00:00.000Z'),
  });

  expect(new URL(signed).searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

it('binds the headers that it is given, and carries the token of a role', () => {
  const toSign = {
    method: 'PUT',
    url: new URL('https://bucket.example/attachments/a'),
    headers: { 'Content-Length': '12', 'content-type': 'text/plain' },
    region: 'eu-west-1',
    credentials: { accessKeyId: 'A', secretAccessKey: 'B', sessionToken: 'C/+=' },
    expiresInSeconds: 900,
    now: new Date('2026-11-21T10:11:12.000Z'),
  } as const;
  const { searchParams } = new URL(presignUrl(toSign));
  const other = new URL(presignUrl({ ...toSign, headers: { ...toSign.headers, 'Content-Length': '13' } }));

  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
  expect(searchParams.get('X-Amz-Security-Token')).toBe('C/+=');
  expect(other.searchParams.get('X-Amz-Signature')).not.toBe(searchParams.get('X-Amz-Signature'));
});
