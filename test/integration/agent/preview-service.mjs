// What a person might run in a workspace: an HTTP and WebSocket service that does as its path says.
// It runs inside test workspaces, so it needs nothing but Node.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const [port, host] = process.argv.slice(2);
const block = Buffer.alloc(64 * 1024, 'x');

const answers = {
  /** Answers with what it was asked. */
  '/echo': async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, rawHeaders, rawTrailers } = request;
    const body = Buffer.concat(chunks).toString();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ method, url, rawHeaders, rawTrailers, body }));
  },
  '/headers': (_, response) => {
    response.writeHead(200, [
      ...['Set-Cookie', 'theme=dark; Path=/; Domain=example.com; HttpOnly'],
      ...['Set-Cookie', 'vm_session_01ARZ3NDEKTSV4RRFFQ69G5FAV=forged; Path=/'],
      ...['Set-Cookie', '__Host-berth_session=forged; Path=/; Secure'],
      ...['Clear-Site-Data', '"cache", "cookies", "*"', 'X-Many', 'one', 'X-Many', 'two'],
      ...['Connection', 'x-hop', 'X-Hop', 'secret', 'Service-Worker-Allowed', '/', 'Alt-Svc', 'h3=":1"'],
    ]);
    response.end('ok');
  },
  '/redirect': (request, response) => {
    const to = new URL(request.url, 'http://localhost').searchParams.get('to');
    response.writeHead(302, { location: to }).end();
  },
  '/status': (request, response) => {
    const code = Number(new URL(request.url, 'http://localhost').searchParams.get('code'));
    response.writeHead(code, { etag: '"one"' }).end(code === 200 ? 'body' : undefined);
  },
  '/trailers': (_, response) => {
    response.writeHead(200, { trailer: 'x-sum' });
    response.write('body');
    response.addTrailers({ 'x-sum': '4' });
    response.end();
  },
  /** An event each time the client has something to say; never ends by itself. */
  '/events': (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\n\n');
    request.on('data', (chunk) => response.write(`data: ${chunk}\n\n`));
    response.on('close', () => closed.push(request.url));
  },
  '/closed': (_, response) => response.end(JSON.stringify(closed)),
  '/download': (request, response) => {
    let left = Number(new URL(request.url, 'http://localhost').searchParams.get('bytes'));
    response.writeHead(200, { 'content-length': left });
    const write = () => {
      while (left > 0) {
        const size = Math.min(left, block.length);
        left -= size;
        if (!response.write(block.subarray(0, size))) return response.once('drain', write);
      }
      response.end();
    };
    write();
  },
  '/upload': async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    response.end(String(bytes));
  },
  /**
   * It goes on reading: who closes with something unread may take the own answer back, as TCP has
   * it.
   */
  '/refuse-upload': (request, response) => {
    response.writeHead(413).write('too much');
    request.resume().once('close', () => response.end());
  },
  /** Never answers. */
  '/hang': (request, response) => response.on('close', () => closed.push(request.url)),
  '/die-midway': (request, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write(block, () => request.socket.destroy());
  },
  /** Sends the given bytes, HTTP or not. */
  '/say': ({ url, socket }) =>
    socket.end(new URL(url, 'http://localhost').searchParams.get('bytes'), 'latin1'),
  '/exit': () => process.exit(0),
};
const closed = [];

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const answer = answers[pathname] ?? answers['/echo'];
  Promise.resolve(answer(request, response)).catch(() => response.destroy());
});
server.on('checkContinue', (request, response) => {
  // Nothing was sent yet that could be left unread.
  if (request.url.startsWith('/refuse-upload'))
    return response.writeHead(413, { connection: 'close' }).end('too much');
  response.writeContinue();
  server.emit('request', request, response);
});
server.requestTimeout = 0;

// Echoes each text frame, after a first one with what the upgrade asked for.
server.on('upgrade', (request, socket) => {
  const { url, rawHeaders, headers } = request;
  if (url.startsWith('/say')) return answers['/say'](request);
  if (url.startsWith('/refuse')) return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSet-Cookie: vm_session=forged\r\n\r\n`,
  );
  socket.write(frame(JSON.stringify({ url, rawHeaders })));
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  socket.on('close', () => closed.push(url));
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      if (pending.length < 6) return;
      const length = pending[1] & 127;
      if (pending.length < 6 + length) return;
      const text = pending.subarray(6, 6 + length).map((byte, index) => byte ^ pending[2 + (index % 4)]);
      const opcode = pending[0] & 15;
      pending = pending.subarray(6 + length);
      if (opcode === 8) return socket.end();
      socket.write(frame(Buffer.from(text).toString()));
    }
  });
});

function frame(text) {
  const body = Buffer.from(text);
  const head = body.length < 126 ? [129, body.length] : [129, 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), body]);
}

server.listen(Number(port), host, () => console.log(`listens ${server.address().port}`));
