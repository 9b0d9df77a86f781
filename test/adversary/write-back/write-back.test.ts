import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { routes } from '../../../lambdas/routes.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestReply } from '../../support/invoke.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { hostileCalls } from './hostile-calls.js';
import { aSharedProject, aTenant, recordsOfOthers, store, type Tenant } from './tenants.js';

// Whatever a workspace or node of a member with less right says, nothing that another owns changes.

const kinds = ['nodeCallback', 'workspaceCallback', 'agentCallback', 'anyCallback'];
const callbacks = routes.filter(({ auth }) => kinds.includes(auth.kind)).map(({ file }) => file);

const invokes = new Map<string, Invoke>();
let table: Table;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  await TestWakeUpQueues.create();
  await new S3Client({ forcePathStyle: true })
    .send(new CreateBucketCommand({ Bucket: functionEnv.UPLOADS_BUCKET }))
    .catch(() => undefined);
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  // Sagas are ordered and do not run here.
  const answer = async () => ({ output: { $metadata: {} }, response: undefined });
  stepFunctions.middlewareStack.add(() => answer, { step: 'initialize', name: 'answer' });
  for (const file of new Set([...callbacks, 'callbacks/agent-key'])) invokes.set(file, await loadRoute(file));
  await store(table, { kind: 'platform' });
});

it('every callback has its hostile calls', () => {
  expect(Object.keys(hostileCalls).toSorted()).toEqual(callbacks.toSorted());
});

describe('nothing that another owns is changed by', () => {
  it.each(callbacks)('%s', async (file) => {
    const { victims, attacker, elsewhere } = await aStage();
    await useCredentials(attacker);
    const { declared = {}, needsOutside } = hostileCalls[file] ?? {};
    const before = await recordsOfOthers(table, attacker, Object.keys(declared));

    const honest = await attack(file, { attacker, victim: attacker });
    const replies = await Promise.all([
      ...victims.map((victim) => attack(file, { attacker, victim })),
      attack(file, { attacker, victim: elsewhere }),
    ]);

    expect(await recordsOfOthers(table, attacker, Object.keys(declared))).toEqual(before);
    expect([...honest, ...replies.flat()].filter(({ status }) => status === 500)).toEqual([]);
    // The row is of use only if what it sends is understood.
    if (!needsOutside) expect(honest.some(({ status }) => status < 300)).toBe(true);
  });
});

async function aStage() {
  const project: Project = await aSharedProject(table);
  const admin = await aTenant(table, project, 'admin');
  const peer = await aTenant(table, project, 'maintainer');
  const attacker = await aTenant(table, project, 'maintainer');
  const elsewhere = await aTenant(table, await aSharedProject(table), 'admin');
  return { victims: [admin, peer], attacker, elsewhere };
}

/** So that the session has the project's sign-in, whose renewal it could send back. */
async function useCredentials({ workspaceId, agentSessionId, tokens: [token] }: Tenant): Promise<void> {
  for (const agentType of ['claude-code', 'openai-codex']) {
    const reply = await invokes.get('callbacks/agent-key')?.({
      params: { workspaceId },
      headers: { authorization: `Bearer ${token}` },
      body: { agentType, sessionId: agentSessionId },
    });
    expect(reply?.status).toBe(200);
  }
}

/** Every hostile path, query and body of the row, with each of the attacker's tokens. */
async function attack(
  file: string,
  { attacker, victim }: { readonly attacker: Tenant; readonly victim: Tenant },
): Promise<readonly TestReply[]> {
  const { bodies = () => [undefined], queries = () => [{}] } = hostileCalls[file] ?? {};
  const invoke = invokes.get(file);
  if (!invoke) throw new Error(`${file} is not loaded`);
  const replies: TestReply[] = [];
  for (const params of pathsOf(file, [attacker, victim]))
    for (const query of queries(attacker, victim))
      for (const body of bodies(attacker, victim))
        for (const token of attacker.tokens)
          replies.push(await invoke({ params, query, body, headers: { authorization: `Bearer ${token}` } }));
  return replies;
}

/** All combinations of the one's ids and the other's. */
function pathsOf(file: string, tenants: readonly Tenant[]): readonly Record<string, string>[] {
  const names = [...routeOf(file).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const idsOf = (name: string) =>
    tenants.flatMap((tenant) => [
      ...(name === 'sessionId' ? [tenant.agentSessionId, tenant.chatId] : []),
      ...(name in tenant ? [String(tenant[name as keyof Tenant])] : []),
    ]);
  return names.reduce<readonly Record<string, string>[]>(
    (paths, name) =>
      paths.flatMap((path) => [...new Set(idsOf(name))].map((id) => ({ ...path, [name]: id }))),
    [{}],
  );
}
