import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { moveTask } from '../../tasks/change-task.js';
import { completeTask as complete } from '../../tasks/finish-task.js';
import { CompletionEvidence, type Task, WebAddress } from '../../tasks/task.js';
import { ownTask } from '../load-task.js';
import { tool } from '../tool.js';

/** Limits summary and evidence in the table; longer texts belong in the repository. */
const maxEvidenceLength = 64_000;

const { testsRun, verifications } = CompletionEvidence.shape;

export const completeTask = tool({
  name: 'complete_task',
  description:
    'Complete your task after you have pushed your work. Pass a summary (at most 16,000 characters) and evidence that the work is correct. The task ends and your tools stop working, so call it last. In a conversation the task stays open and waits for the person. Repeating the call within 5 minutes returns the same answer.',
  policy: { equals: ['task.close'] },
  needsTask: true,
  args: z.strictObject({
    summary: z.string().check(z.trim(), z.minLength(1), z.maxLength(16_000)),
    evidence: z.optional(
      z
        .strictObject({
          ...CompletionEvidence.shape,
          testsRun: z._default(testsRun, []),
          verifications: z._default(verifications, []),
          prUrl: z.optional(WebAddress),
        })
        .check(
          z.refine(
            (all) => JSON.stringify(all).length <= maxEvidenceLength,
            'summary and evidence together have more than 64,000 characters',
          ),
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
