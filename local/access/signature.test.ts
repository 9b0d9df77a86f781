import { afterEach, expect, it, vi } from 'vitest';
import { isSigned, signedRequest } from './signature.js';

const keys = { accessKeyId: 'KEY', secretAccessKey: 'secret', frontSecret: 'front' };
const access = { endpoint: 'http://127.0.0.1:1', keys };
const sign = (path = '/') => {
  const { body, path: url, ...signed } = signedRequest(access, { service: 'ec2', path, body: 'Action=A' });
  return { ...signed, url, body: Buffer.from(body) };
};

afterEach(() => {
  vi.useRealTimers();
});

it('takes a request that was signed with the keys', () => {
  expect(isSigned(sign(), keys)).toBe(true);
  expect(isSigned(sign('/a%20b/c?y=2&x=1%2F'), keys)).toBe(true);
});

it.each([
  ['method', { method: 'PUT' }],
  ['path', { url: '/other' }],
  ['query', { url: '/?x=1' }],
  ['body', { body: Buffer.from('Action=B') }],
])('refuses it with another %s', (_what, changed) => {
  expect(isSigned({ ...sign(), ...changed }, keys)).toBe(false);
});

it.each([
  ['no signature', { authorization: '' }],
  ['another host', { host: 'evil.example' }],
  ['another date', { 'x-amz-date': '20200101T000000Z' }],
])('refuses it with %s', (_what, changed) => {
  const request = sign();

  expect(isSigned({ ...request, headers: { ...request.headers, ...changed } }, keys)).toBe(false);
});

it('refuses other keys', () => {
  expect(isSigned(sign(), { ...keys, accessKeyId: 'OTHER' })).toBe(false);
  expect(isSigned(sign(), { ...keys, secretAccessKey: 'other' })).toBe(false);
});

it('refuses a signature of ten minutes ago', () => {
  const request = sign();
  vi.useFakeTimers({ now: Date.now() + 10 * 60_000 });

  expect(isSigned(request, keys)).toBe(false);
});
