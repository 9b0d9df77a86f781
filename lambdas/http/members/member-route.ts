import { memberNotFound } from '../../domain/members/errors.js';
import { Member, memberKey } from '../../domain/projects/member.js';
import type { ByCapability } from '../../edge/capability-route.js';
import { type NamedRecord, recordRoute } from '../../edge/capability-route.js';
import type { Contract } from '../../edge/contract.js';
import { pathId } from '../../edge/parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';

/** `target` is who the path names: a member, or somebody who was one. */
type ByMember = ByCapability & { readonly target: Member };

const memberOfPath: NamedRecord<Pick<ByMember, 'target'>> = {
  keys: (event) => [memberKey(pathId(event, 'projectId'), pathId(event, 'userId'))],
  read: (found) => {
    if (!found) throw memberNotFound();
    return { target: Member.parse(found) };
  },
};

/**
 * A route about the member `{userId}` of `{projectId}`, read together with who calls. One table
 * call.
 */
export function memberRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByMember, Out>,
): HttpHandler {
  return recordRoute(contract, memberOfPath, handle);
}
