import { beforeAll, describe, expect, it } from 'vitest';
import type { Authorisation } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { DomainError } from '../../../lambdas/shared/errors.js';
import { TwoMembers } from '../equivalence/two-members.js';
import { nearMisses } from './near-misses.js';
import { notRefused } from './not-refused.js';
import { type Proof, proofs } from './proofs.js';

// Every kind of proof, almost right, and at each verifier of another kind.

let all: Readonly<Record<string, Proof>>;

beforeAll(async () => {
  all = await proofs(await TwoMembers.load([]));
});

const names = [
  ...['terminal', 'transfer', 'preview', 'management', 'localForward'],
  ...['nodeCallback', 'workspaceCallback'],
  ...['session', 'mcp', 'invite', 'bootstrap', 'oauth state', 'cursor', 'preview cookie'],
  'webhook signature',
];

/** By which proofs each kind of caller is known. The type asks for a row of each new kind. */
const proofsOf: Readonly<Record<Authorisation['kind'], readonly string[]>> = {
  public: [],
  session: ['session', 'cursor'],
  capability: ['session', 'cursor'],
  superadmin: ['session', 'cursor'],
  nodeCallback: ['nodeCallback'],
  workspaceCallback: ['workspaceCallback'],
  agentCallback: ['workspaceCallback'],
  anyCallback: ['nodeCallback', 'workspaceCallback'],
  mcp: ['mcp'],
  own: ['oauth state', 'bootstrap', 'session', 'webhook signature'],
};

/** Of routes that check a proof of their own. */
const ownProofs: Readonly<Record<string, string>> = {
  'auth/callback': 'oauth state',
  'auth/sign-out': 'session',
  'auth/session': 'session',
  'codehost/callback': 'session',
  'codehost/webhook': 'webhook signature',
  'callbacks/bootstrap': 'bootstrap',
};

const proofOf = (name: string): Proof => {
  const proof = all[name];
  if (!proof) throw new Error(`There is no proof ${name}`);
  return proof;
};

const isRefusal = (answer: unknown): boolean =>
  answer === undefined || answer === null || answer instanceof DomainError;

it('every proof that a route asks for is tested', () => {
  expect(Object.keys(all).toSorted()).toEqual(names.toSorted());
  expect(
    Object.values(proofsOf)
      .flat()
      .filter((name) => !names.includes(name)),
  ).toEqual([]);
  const own = routes.filter(({ auth }) => auth.kind === 'own').map(({ file }) => file);
  expect(Object.keys(ownProofs).toSorted()).toEqual(own.toSorted());
});

describe.each(names)('%s', (name) => {
  it('is refused when it is almost right', async () => {
    const { value, other, verify } = proofOf(name);

    expect(await notRefused(nearMisses(value, other), verify, isRefusal)).toEqual([]);
  });

  it('takes no other kind of proof', async () => {
    const others = Object.entries(all).filter(([one]) => one !== name);

    const values = others.map(([what, { value }]) => [what, value] as const);
    expect(await notRefused(values, proofOf(name).verify, isRefusal)).toEqual([]);
  });
});

// Last, for some can be taken only once.
describe.each(names)('%s', (name) => {
  it('was good all the time', async () => {
    const { value, verify } = proofOf(name);

    expect(await verify(value)).toBeTruthy();
  });
});
