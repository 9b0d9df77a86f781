import { MemberNotFound } from '../../domain/members/errors.js';
import { Member, memberKey } from '../../domain/projects/member.js';
import type { ByCapability } from '../../edge/capability-route.js';
import type { Contract } from '../../edge/contract.js';
import { memberGate } from '../../edge/member-gate.js';
import { pathId } from '../../edge/path-id.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from '../../edge/route.js';

/** `target` is who the path names: a member, or somebody who was one. */
export type ByMember = ByCapability & { readonly target: Member };

/** A route about the member `{userId}` of `{projectId}`, read together with who calls. One table call. */
export function memberRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByMember, Out>,
): HttpHandler {
  const gate = memberGate();
  return route(
    contract,
    async (event, call) => {
      const key = memberKey(pathId(event, 'projectId'), pathId(event, 'userId'));
      const caller = await gate(event, call, [key]);
      const found = caller.find(key);
      if (!found) throw new MemberNotFound();
      return { ...caller, target: Member.parse(found) };
    },
    handle,
  );
}
