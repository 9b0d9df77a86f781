import type { ProcessIdentity } from './process-identity.mjs';

export const ownerFile: string;
export function own(stateDir: string): ProcessIdentity | undefined;
export function disown(stateDir: string): void;
