import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { Cut } from './history.js';

export interface Target {
  readonly port: number;
  readonly certificate: string;
  readonly token: string;
}

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Longer than any answer. A killed node may leave a socket open. */
const silenceMs = 20_000;

/** Sends one request on its own connection, which may be cut. Null without an answer. */
export async function cutRequest(
  { port, certificate, token }: Target,
  asked: { readonly method: string; readonly path: string; readonly body?: unknown; readonly cut?: Cut },
): Promise<Answered | null> {
  const { method, path, body, cut = 'none' } = asked;
  const text = body === undefined ? '' : JSON.stringify(body);
  const { promise, resolve } = Promise.withResolvers<Answered | null>();
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    ca: certificate,
    agent: false,
    timeout: silenceMs,
    headers: {
      authorization: `Bearer ${token}`,
      ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
    },
  });
  sent.on('timeout', () => sent.destroy());
  sent.on('error', () => resolve(null));
  sent.on('close', () => resolve(null));
  sent.on('response', (response) => {
    // Cut before the answer is read.
    if (cut === 'at_reply') return void sent.destroy();
    let answer = '';
    response.on('data', (chunk: Buffer) => {
      answer += chunk;
    });
    response.on('end', () => resolve(readAnswer(response.statusCode ?? 0, answer)));
  });
  await write(sent, text, cut);
  return promise;
}

async function write(sent: ClientRequest, text: string, cut: Cut): Promise<void> {
  if (cut === 'within_request') {
    sent.write(text.slice(0, text.length / 2));
    await wait(1);
    sent.destroy();
    return;
  }
  sent.end(text);
  if (cut !== 'after_request') return;
  // The request is sent. Whether the node has handled it is unknown.
  await new Promise((resolve) => sent.once('finish', resolve).once('close', resolve));
  await wait(Math.random() * 4);
  sent.destroy();
}

function readAnswer(status: number, text: string): Answered | null {
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    return null;
  }
}
