import * as z from 'zod/mini';
import { type Described, Sha, Text } from './code-host-event.js';

const result = { head_sha: Sha, status: Text, conclusion: Text, html_url: Text };
const branch = { head_branch: Text };
const pulls = z._default(z.array(z.object({ number: z.int() })), []);

export const CheckRun = z.object({
  check_run: z.object({
    ...result,
    name: z.string(),
    started_at: Text,
    completed_at: Text,
    pull_requests: pulls,
    check_suite: z.optional(z.nullable(z.object(branch))),
  }),
});

export const CheckSuite = z.object({
  check_suite: z.object({
    ...result,
    ...branch,
    updated_at: Text,
    pull_requests: pulls,
    app: z.optional(z.nullable(z.object({ name: z.string() }))),
  }),
});

export const WorkflowRun = z.object({
  workflow_run: z.object({
    ...result,
    ...branch,
    name: Text,
    updated_at: Text,
    run_number: z.optional(z.int()),
  }),
});

const failures: readonly unknown[] = ['failure', 'timed_out', 'startup_failure'];

const severityOf = (conclusion: string | null | undefined): Described['severity'] => {
  if (failures.includes(conclusion)) return 'error';
  return conclusion === 'action_required' ? 'notice' : 'info';
};

interface Check {
  readonly head_sha: string;
  readonly status?: string | null | undefined;
  readonly conclusion?: string | null | undefined;
  readonly html_url?: string | null | undefined;
}

function describeCheck(check: Check, name: string, metadata: Described['metadata']): Described {
  const { head_sha: sha, status, conclusion } = check;
  return {
    subject: { type: 'commit', id: sha },
    severity: severityOf(conclusion),
    title: `${name}: ${conclusion ?? status ?? 'changed'}`,
    url: check.html_url,
    metadata: { name, status, conclusion, sha, ...metadata },
  };
}

export function describeCheckRun({ check_run: run }: z.output<typeof CheckRun>): Described {
  const metadata = { ref: run.check_suite?.head_branch, number: run.pull_requests[0]?.number };
  return { ...describeCheck(run, run.name, metadata), at: run.completed_at ?? run.started_at };
}

export function describeCheckSuite({ check_suite: suite }: z.output<typeof CheckSuite>): Described {
  const metadata = { ref: suite.head_branch, number: suite.pull_requests[0]?.number };
  return { ...describeCheck(suite, suite.app?.name ?? 'Checks', metadata), at: suite.updated_at };
}

export function describeWorkflowRun({ workflow_run: run }: z.output<typeof WorkflowRun>): Described {
  const metadata = { ref: run.head_branch, run: run.run_number };
  return { ...describeCheck(run, run.name ?? 'Workflow', metadata), at: run.updated_at };
}
