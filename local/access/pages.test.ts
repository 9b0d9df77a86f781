import { expect, it } from 'vitest';
import { isOfForeignPage, isOwnHost, isVisit } from './pages.js';

it.each(['localhost', 'LOCALHOST:8787', '127.0.0.1:1', '[::1]:8787'])('serves the name %s', (host) => {
  expect(isOwnHost(host)).toBe(true);
});

it.each([
  undefined,
  '',
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1:1.evil.example',
  'local:1host',
  '127.0.0.2',
])('does not serve the name %s', (host) => {
  expect(isOwnHost(host)).toBe(false);
});

it.each([
  [{}, false],
  [{ origin: 'http://localhost:1' }, false],
  [{ origin: 'http://localhost:2' }, true],
  [{ origin: 'null' }, true],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ 'sec-fetch-site': 'same-origin' }, false],
  [{ 'sec-fetch-site': 'same-site' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, true],
  [{ origin: 'http://localhost:1', 'sec-fetch-site': 'cross-site' }, true],
])('knows whether a page of another origin sent %j: %s', (headers, expected) => {
  expect(isOfForeignPage({ headers }, ['http://localhost:1'])).toBe(expected);
});

const visit = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

it.each([
  ['GET', visit, true],
  ['POST', visit, false],
  ['GET', { ...visit, 'sec-fetch-dest': 'iframe' }, false],
  ['GET', { ...visit, origin: 'http://evil' }, false],
  ['GET', { ...visit, 'sec-fetch-mode': 'no-cors' }, false],
  ['GET', {}, false],
])('takes %s with %j for a visit in a tab: %s', (method, headers, expected) => {
  expect(isVisit({ method, headers })).toBe(expected);
});
