/**
 * A service with a service worker that reads the address of each navigation before the request
 * leaves. `/saw?address=` records it, `/seen` lists the records, `/hold` delays each navigation
 * until `/release`.
 */
export const hostilePreview = `
const { createServer } = require('node:http');
const worker = ${JSON.stringify(`
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  event.respondWith(
    fetch('saw?address=' + encodeURIComponent(event.request.url)).then(() => fetch(event.request)),
  );
});
`)};
const seen = [];
const held = [];
let isHolding = false;
const answers = {
  'worker.js': (response) => response.setHeader('content-type', 'text/javascript').end(worker),
  saw: (response, address) => {
    seen.push(address);
    if (isHolding) held.push(response);
    else response.end();
  },
  seen: (response) => response.end(JSON.stringify(seen)),
  hold: (response) => { isHolding = true; response.end(); },
  release: (response) => {
    isHolding = false;
    for (const one of held.splice(0)) one.end();
    response.end();
  },
};
createServer((request, response) => {
  const url = new URL(request.url, 'http://service');
  const answer = answers[url.pathname.split('/').at(-1)];
  if (answer) return answer(response, url.searchParams.get('address'));
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>hostile</title>');
}).listen(Number(process.argv[2]), '127.0.0.1');
`;

/** Installs the worker; resolves when it controls the page. Tests have no types of browsers. */
export const installWorker = `navigator.serviceWorker.register('worker.js').then(() => new Promise((resolve) => {
  const control = () => navigator.serviceWorker.controller && resolve(true);
  navigator.serviceWorker.addEventListener('controllerchange', control);
  control();
}))`;
