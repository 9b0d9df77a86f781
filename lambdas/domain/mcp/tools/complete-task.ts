import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { moveTask } from '../../tasks/change-task.js';
import { completeTask as complete } from '../../tasks/finish-task.js';
import { CompletionEvidence, type Task, WebAddress } from '../../tasks/task.js';
import { maxJson, personText } from '../arguments.js';
import { ownTask } from '../load-task.js';
import { tool } from '../tool.js';

/** Keeps the task's item small; longer texts belong in the repository. */
const maxEvidenceLength = 64_000;

const { testsRun, verifications, notes } = CompletionEvidence.shape;

export const completeTask = tool({
  name: 'complete_task',
  description:
    'Complete your task after you have pushed your work. Pass a summary, and evidence that the work is correct. The task ends and your tools stop working, so call it last. A task with taskMode conversation stays open and waits for its person. Returns status and the next step (instruction). Repeating the call with the same arguments within 5 minutes returns the same answer.',
  policy: { equals: ['task.close'] },
  needsTask: true,
  args: z.strictObject({
    summary: personText(16_000, 'Summary of the result for the person.'),
    evidence: z.optional(
      z
        .strictObject({
          testsRun: z._default(
            testsRun.check(
              z.describe('Tests that you ran: the command, whether it passed, and an optional detail.'),
            ),
            [],
          ),
          verifications: z._default(
            verifications.check(
              z.describe('Other checks of the result: their kind, a description and optional evidence.'),
            ),
            [],
          ),
          prUrl: z.optional(WebAddress.check(z.describe('Address of the pull request (http or https).'))),
          notes: notes.check(z.describe('Remarks about the evidence.')),
        })
        .check(
          maxJson(maxEvidenceLength),
          z.describe('Evidence that the result is correct, at most 64,000 characters as JSON.'),
        ),
    ),
  }),
  handle: async ({ summary, evidence = null }, { caller, table, now, log, sagas }) => {
    const actor = { actorType: 'agent', actorId: caller.token.agentSessionId } as const;
    const seen = ownTask(caller);
    // The agent may complete the task before the execution has recorded `in_progress`.
    const begun = { to: 'in_progress', set: { startedAt: now.toISOString() }, actor, now } as const;
    const task = seen.status === 'delegated' ? (await moveTask(table, { task: seen, ...begun })).task : seen;
    const ended = await complete({ table, log, sagas }, { task, summary, evidence, actor, now });
    return answerFor(ended.task);
  },
  again: ({ summary, evidence = null }, { task }) =>
    task?.outputSummary === summary && isDeepStrictEqual(task.completionEvidence, evidence)
      ? answerFor(task)
      : undefined,
});

function answerFor({ taskId, status, executionStep }: Task) {
  return {
    taskId,
    status,
    executionStep,
    instruction:
      status === 'completed'
        ? 'The task is completed. End your turn.'
        : 'End your turn and wait for the person.',
  };
}
