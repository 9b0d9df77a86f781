import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { isCookieAccepted, isNavigation } from './preview-caller.js';

const host = 'ws-x.localhost:8787';

it.each<[string, boolean, IncomingHttpHeaders, boolean]>([
  ['GET', false, {}, true],
  ['POST', false, {}, true],
  ['POST', false, { origin: `http://${host}` }, true],
  ['POST', false, { origin: 'https://ws-X.localhost:8787' }, true],
  ['POST', false, { origin: 'http://ws-y.localhost:8787' }, false],
  ['POST', false, { origin: 'http://ws-x.localhost:9999' }, false],
  ['POST', false, { origin: 'null' }, false],
  ['GET', false, { origin: 'https://evil.example' }, false],
  ['GET', true, { origin: 'https://evil.example' }, false],
  ['GET', true, { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, true],
  ['GET', true, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, false],
  ['GET', false, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, true],
  ['GET', false, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, true],
  ['GET', false, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, false],
  ['POST', false, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, false],
])('%s (upgrade: %s) with %j is meant by the person: %s', (method, isUpgrade, headers, expected) => {
  expect(isCookieAccepted({ method, isUpgrade, headers: { host, ...headers } })).toBe(expected);
});

it.each<[string, IncomingHttpHeaders, boolean]>([
  ['GET', { 'sec-fetch-mode': 'navigate' }, true],
  ['HEAD', { accept: 'text/html,*/*' }, true],
  ['GET', { accept: 'text/html', 'sec-fetch-mode': 'cors' }, false],
  ['GET', { accept: '*/*' }, false],
  ['POST', { 'sec-fetch-mode': 'navigate' }, false],
])('%s with %j is a navigation: %s', (method, headers, expected) => {
  expect(isNavigation({ method, isUpgrade: false, headers })).toBe(expected);
});
