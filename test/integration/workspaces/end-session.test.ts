import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { table } from '../../../lambdas/shared/clients/documents.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aNode, putNode } from '../../support/records.js';
import { loadStep, type RunStep } from './load-step.js';
import { NodeStub } from './node-stub.js';

let stub: NodeStub;
let notifyNodes: RunStep;

beforeAll(async () => {
  stub = await NodeStub.start();
  notifyNodes = await loadStep('end-session/notify-nodes');
});

afterAll(() => stub[Symbol.asyncDispose]());

beforeEach(() => {
  stub.requests = [];
  stub.onRequest = async () => ({ status: 200, body: { success: true } });
});

const put = (userId: string, overrides = {}) =>
  putNode(table, aNode({ userId, ...stub.place, ...overrides }));

it('reports the ended session to each running node of the person, with a token for the whole node', async () => {
  const userId = newId();
  const nodes = [await put(userId), await put(userId)];
  await put(newId());
  await put(userId, { status: 'stopped' });
  await put(userId, { status: 'provisioning', host: null, port: null });

  await notifyNodes({ userId, sessionHash: 'ended' });

  expect(stub.seen).toEqual(['POST /sessions/ended', 'POST /sessions/ended']);
  const claims = stub.requests.map(({ authorization }) => decodeJwt(authorization.replace('Bearer ', '')));
  expect(claims.map(({ node }) => node).toSorted()).toEqual(nodes.map(({ nodeId }) => nodeId).toSorted());
  expect(claims.map(({ workspace }) => workspace)).toEqual([undefined, undefined]);
  expect(stub.requests.map(({ body }) => body)).toEqual([{ sessions: ['ended'] }, { sessions: ['ended'] }]);
});

it('reports to the other nodes when one does not answer, and fails so that the saga repeats it', async () => {
  const userId = newId();
  await put(userId);
  await put(userId, { port: 1 });

  await expect(notifyNodes({ userId, sessionHash: 'ended' })).rejects.toThrow('1 of 2 nodes');
  expect(stub.seen).toEqual(['POST /sessions/ended']);
});

it('ignores an agent of an earlier release that has no such route', async () => {
  const userId = newId();
  await put(userId);
  stub.onRequest = async () => ({ status: 404, body: { error: 'not_found', message: 'no such route' } });

  await expect(notifyNodes({ userId, sessionHash: 'ended' })).resolves.toBeUndefined();
});

it('does nothing for a person without nodes', async () => {
  await expect(notifyNodes({ userId: newId(), sessionHash: 'ended' })).resolves.toBeUndefined();
});
