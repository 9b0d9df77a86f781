import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { FakeControlPlane } from '../integration/agent/fake-control-plane.js';
import { LoopbackModel, modelAnswers } from '../integration/harness/loopback-model.js';
import { RealKinds } from '../integration/harness/real-kinds.js';
import { deleteWorkspace } from '../support/delete-workspace.js';
import { limitMs } from '../support/limit-ms.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { TaskWalk } from './task-walk.js';

const { url, stateDir, harnessFolder } = inject('cloud');
const person = new Person(url, ownAccount().cookies);

/** False when the registry of packages cannot be reached. */
async function installOpencode(): Promise<boolean> {
  await using fake = await FakeControlPlane.start();
  using real = new RealKinds(fake);
  const installed = await real.install('opencode');
  if (!installed) return false;
  const command = installed.command.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(harnessFolder, 'opencode'), `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 });
  return true;
}

/** Where the nodes that have the workspace keep it. */
const foldersOf = (workspaceId: string): readonly string[] =>
  readdirSync(join(stateDir, 'ec2'))
    .map((instance) => join(stateDir, 'ec2', instance, 'workspaces', workspaceId))
    .filter((folder) => existsSync(folder));

/**
 * OpenCode keeps the absolute folder of a session. In containers it is the same on each node; the
 * nodes of this cloud share one file system, so the new folder is also given the old name.
 */
async function keepFolder(workspaceId: string, former: string): Promise<void> {
  await until('the folder of the workspace on the new node', async () => {
    const [folder] = foldersOf(workspaceId).filter((each) => each !== former);
    if (!folder) return undefined;
    mkdirSync(dirname(former), { recursive: true });
    symlinkSync(folder, former);
    return true;
  });
}

it('OpenCode works on a branch, sleeps, wakes on another node, continues its session and pushes', {
  timeout: limitMs(400_000),
}, async () => {
  if (!(await installOpencode())) return;
  await using model = await LoopbackModel.start(modelAnswers.commands());
  const walk = await TaskWalk.begin(person, 'octo/notes', 'OpenCode sleeps');
  // Other files use this project with their own agents: its defaults stay.
  const profile = await person.post(`/api/projects/${walk.projectId}/agent-profiles`, {
    ...{ name: 'OpenCode', agentType: 'opencode', model: 'small-model' },
    ...{ opencodeProvider: 'custom', opencodeBaseUrl: `${model.url}/v1` },
  });
  expect(profile.status, profile.text).toBe(201);

  const { taskId, sessionId, branchName } = await walk.submit(
    'run(echo day > night.txt && git add . && git -c user.name=O -c user.email=o@example.test commit -qm Night && echo worked)',
    { taskMode: 'conversation', agentProfileId: profile.body.id },
  );
  const task = await walk.until(taskId, 'its agent rests', ({ executionStep, finalAssistantMessage }) => {
    return executionStep === 'awaiting_followup' && String(finalAssistantMessage).includes('worked');
  });
  const workspace = `/api/workspaces/${task.workspaceId}`;
  const { nodeId } = (await person.get(workspace)).body;
  const [former = ''] = foldersOf(String(task.workspaceId));
  await walk.untilAsleep(workspace);
  await walk.removeNode(nodeId);
  expect(existsSync(former)).toBe(false);

  const [said] = await Promise.all([
    walk.answerTo(sessionId, 'run(git push -q origin HEAD && echo pushed)', /pushed/),
    keepFolder(String(task.workspaceId), former),
  ]);

  expect(said).toContain('said');
  expect((await person.get(workspace)).body.nodeId).not.toBe(nodeId);
  // The same session: what the person said before the sleep is in the request.
  expect(model.requests.findLast(({ body }) => body.includes('echo pushed'))?.body).toContain('echo day');
  const repository = join(stateDir, 'code-host/repositories/octo/notes.git');
  const log = execFileSync('git', ['-C', repository, 'log', '-1', '--format=%s', branchName]);
  expect(log.toString().trim()).toBe('Night');
  await deleteWorkspace(person, workspace);
});
