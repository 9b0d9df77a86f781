import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import WebSocket from 'ws';
import type { AgentProcess } from './agent-process.js';

interface PreviewAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly trailers: NodeJS.Dict<string>;
  readonly text: string;
}

export interface PreviewRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Starts a request that the test continues. */
export function begin(
  agent: AgentProcess,
  { method = 'GET', path, headers = {} }: PreviewRequest,
): ClientRequest {
  const at = { host: '127.0.0.1', port: agent.port, ca: agent.certificate(), servername: '', agent: false };
  return request({ ...at, method, path, headers });
}

export function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
}

/** One complete request and its answer. */
export async function ask(agent: AgentProcess, wanted: PreviewRequest): Promise<PreviewAnswer> {
  const sent = begin(agent, wanted);
  const answered = answerTo(sent);
  sent.end(wanted.body);
  return read(await answered);
}

export async function read(answer: IncomingMessage): Promise<PreviewAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const { statusCode: status = 0, headers, rawHeaders, trailers } = answer;
  return { status, headers, rawHeaders, trailers, text: Buffer.concat(chunks).toString() };
}

/** A WebSocket of a preview, and its received messages. */
export class PreviewSocket {
  readonly messages: string[] = [];
  closed = false;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.messages.push(data.toString()));
    socket.on('close', () => {
      this.closed = true;
    });
    socket.on('error', () => undefined);
  }

  /** @throws with the status of a refused upgrade */
  static async open(
    agent: AgentProcess,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<PreviewSocket> {
    const url = `wss://127.0.0.1:${agent.port}${path}`;
    const opened = new PreviewSocket(new WebSocket(url, { ca: agent.certificate(), headers }));
    await new Promise<void>((resolve, reject) => {
      opened.socket.once('open', resolve);
      opened.socket.once('unexpected-response', (_, { statusCode }) =>
        reject(new Error(`refused with ${statusCode}`)),
      );
      opened.socket.once('error', reject);
    });
    return opened;
  }
}
