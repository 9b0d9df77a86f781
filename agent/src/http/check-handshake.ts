import type { IncomingMessage } from 'node:http';
import { AgentError } from '../errors.js';

/** The versions that `ws` supports. */
const socketVersions: readonly string[] = ['13', '8'];

/** A refusal that names in a header what the server accepts. */
export abstract class HandshakeError extends AgentError {
  /** With its line end. */
  abstract readonly headers: string;
}

class WrongSocketVersion extends HandshakeError {
  readonly headers = `Sec-WebSocket-Version: ${socketVersions.join(', ')}\r\n`;

  constructor() {
    super('invalid_request', `The Sec-WebSocket-Version header must be one of ${socketVersions.join(', ')}`);
  }
}

class WrongSocketMethod extends HandshakeError {
  readonly headers = 'Allow: GET\r\n';

  constructor() {
    super('method_not_allowed', 'Open a socket with GET');
  }
}

const word = /^[!#$%&'*+\-.^`|~\w]+$/;

/**
 * Refuses an invalid handshake before authentication and with a JSON error. `ws` checks it last and
 * answers with plain text.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per input form
export function checkHandshake({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  if (method !== 'GET') throw new WrongSocketMethod();
  if (headers.upgrade?.toLowerCase() !== 'websocket') throw wrong('The Upgrade header must be websocket');
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    throw wrong('The Sec-WebSocket-Key header must be 16 bytes in base64');
  if (!socketVersions.includes(headers['sec-websocket-version'] ?? '')) throw new WrongSocketVersion();
  const protocols = headers['sec-websocket-protocol']?.split(/[ \t]*,[ \t]*/) ?? [];
  if (new Set(protocols).size < protocols.length || !protocols.every((name) => word.test(name)))
    throw wrong('The Sec-WebSocket-Protocol header must be a list of different names');
}

function wrong(message: string): AgentError {
  return new AgentError('invalid_request', message);
}
