/**
 * A web service of a hostile workspace. `/` is an empty page, `/set?...` sets each value of
 * `cookie` with Set-Cookie, and `/worker.js` is a service worker that requests the whole origin.
 */
export const hostileService = `
const { createServer } = require('node:http');
createServer((request, response) => {
  const url = new URL(request.url, 'http://service');
  if (url.pathname.endsWith('/worker.js')) {
    response.writeHead(200, { 'content-type': 'text/javascript', 'service-worker-allowed': '/' });
    return response.end('self.addEventListener("fetch", () => undefined)');
  }
  response.writeHead(200, {
    'content-type': 'text/html',
    'access-control-allow-origin': '*',
    'set-cookie': url.searchParams.getAll('cookie'),
  });
  response.end('<!doctype html><title>hostile</title><p>' + (request.headers.cookie ?? 'no cookie'));
}).listen(Number(process.argv[2]), '127.0.0.1');
`;
