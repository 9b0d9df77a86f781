// sleep-workspace: EndSleep
import * as z from 'zod/mini';
import { endLastGitToken } from '../../domain/code-host/end-git-tokens.js';
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { endSleep } from '../../domain/snapshots/end-sleep.js';
import { removeDnsName } from '../../domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { codeHost } from '../../edge/code-host.js';
import { nodeZone } from '../../edge/node-zone.js';
import { secretBox } from '../../edge/secret-box.js';
import { step } from '../../edge/step.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { SleepInput } from '../inputs.js';

const Input = z.extend(SleepInput, { nodeConfirmed: z.boolean() });

export const handler = step(Input, async ({ input, table, now, newId, log }) => {
  const { waiting } = await endSleep(table, { ...input, now });
  const workspace = await findWorkspace(table, input.workspaceId);
  if (workspace?.generation === input.generation && workspace.status === 'sleeping') {
    await removeDnsName(nodeZone, workspace);
    // A program in the workspace may have copied the token.
    await endLastGitToken({ table, secrets: secretBox, codeHost }, workspace);
  }
  for (const chatId of waiting) await trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
});
