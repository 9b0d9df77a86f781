import { expect, it } from 'vitest';
import { clientHeaders } from './headers.js';

const prefix = '/workspaces/W/ports/3000';
const place = { prefix, hosts: ['localhost:3000', 'ws-w.example.com:8443'] };
const cleanedValue = (name: string, value: string) =>
  clientHeaders([name, value], place).map(([, kept]) => kept)[0];

it.each([
  ['a=1', 'a=1'],
  ['a=1; Path=/; HttpOnly', `a=1; HttpOnly; Path=${prefix}/`],
  ['a=1; domain=.example.com; path=/admin', `a=1; Path=${prefix}/admin`],
  [`a=1; Path=${prefix}/x`, `a=1; Path=${prefix}/x`],
  ['a=1; Path=relative', 'a=1'],
  ['__Host-a=1; Secure; Path=/', '__Host-a=1; Secure; Path=/'],
  ['vm_session_01ARZ3NDEKTSV4RRFFQ69G5FAV=x; Path=/', undefined],
  [' vm_session =x', undefined],
  ['__Host-vm_session_01ARZ3NDEKTSV4RRFFQ69G5FAV=x; Path=/; Secure', undefined],
  ['__Host-berth_session=x', undefined],
])('isolates the cookie %j', (cookie, expected) => {
  expect(cleanedValue('Set-Cookie', cookie)).toBe(expected);
});

it.each([
  ['/a', `${prefix}/a`],
  [prefix, prefix],
  [`${prefix}x`, `${prefix}${prefix}x`],
  ['?a', '?a'],
  ['https://ws-W.example.com:8443/a', `${prefix}/a`],
  ['http://localhost:3000', `${prefix}/`],
  ['//localhost:3000/a', `${prefix}/a`],
  ['http://localhost:3001/a', 'http://localhost:3001/a'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
])('leads a redirect to %j to %j', (location, expected) => {
  expect(cleanedValue('Location', location)).toBe(expected);
});

it('passes answers of a service at its own host unchanged, except platform cookies', () => {
  const raw = [
    'Location',
    '/a',
    'Set-Cookie',
    'a=1; Path=/',
    'Set-Cookie',
    'vm_session=x',
    'Alt-Svc',
    'h3=":1"',
  ];

  expect(clientHeaders(raw, null)).toEqual([
    ['Location', '/a'],
    ['Set-Cookie', 'a=1; Path=/'],
    ['Alt-Svc', 'h3=":1"'],
  ]);
});
