import * as z from 'zod/mini';

/**
 * Version of what control plane and agent say to each other. It goes up with a message that the
 * other side of the version before could not take, and then only: a new optional field is no such
 * thing. The control plane takes agents of this version and of the one before, so it is always
 * deployed first, and nodes follow by a release.
 */
export const protocolVersion = 1;
export const oldestProtocolVersion = Math.max(1, protocolVersion - 1);

/** Agents of the first version do not say it. */
export const ProtocolVersion = z.int().check(z.gte(oldestProtocolVersion), z.lte(protocolVersion));
