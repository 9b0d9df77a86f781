import type { AgentContract } from '../../agent/api/contract.js';
import { statusOfError } from '../../agent/src/errors.js';
import type { NodeErrorCode } from '../../protocol/node-api.js';

/**
 * The error codes of a route by status: those that its parts imply, and those that its contract
 * names.
 */
export function errorCodesOf(contract: AgentContract): ReadonlyMap<number, readonly NodeErrorCode[]> {
  const codes = new Set<NodeErrorCode>([...implied(contract), ...(contract.errors ?? [])]);
  const byStatus = new Map<number, NodeErrorCode[]>();
  for (const code of codes) {
    const status = statusOfError[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}

function* implied({ token, path, body }: AgentContract): Generator<NodeErrorCode> {
  // An unreadable address is refused first.
  yield 'invalid_request';
  if (token === 'none') return;
  yield 'unauthorized';
  yield 'forbidden';
  // After a start, until the control plane's keys are loaded.
  yield 'unavailable';
  if (path.includes('{workspaceId}')) yield 'not_found';
  if (body) {
    yield 'payload_too_large';
    yield 'unsupported_media_type';
  }
  yield 'internal';
}
