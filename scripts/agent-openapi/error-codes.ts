import type { AgentContract } from '../../agent/api/contract.js';
import { statusOfError } from '../../agent/src/errors.js';
import type { NodeErrorCode } from '../../protocol/node-api.js';

/** By status, the codes a route may answer: what follows from its form, and what its row names. */
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
  // An address that cannot be read is refused before anything else.
  yield 'invalid_request';
  if (token === 'none') return;
  yield 'unauthorized';
  yield 'forbidden';
  // Right after its start, where the control plane's keys cannot be had.
  yield 'unavailable';
  if (path.includes('{workspaceId}')) yield 'not_found';
  if (body) {
    yield 'payload_too_large';
    yield 'unsupported_media_type';
  }
  yield 'internal';
}
