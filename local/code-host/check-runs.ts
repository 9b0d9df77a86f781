import * as z from 'zod/mini';
import { fullNameOf } from './directory.js';
import { JsonFile } from './json-file.js';
import type { WorkCall } from './pull-requests.js';
import type { Refs } from './refs.js';
import { fieldsOf, invalid, json, problem, type Reply } from './reply.js';
import type { Webhooks } from './webhooks.js';

const conclusions = [
  ...(['success', 'failure', 'neutral', 'cancelled'] as const),
  ...(['skipped', 'timed_out', 'action_required'] as const),
];
const Result = z.object({
  status: z._default(z.enum(['queued', 'in_progress', 'completed']), 'queued'),
  conclusion: z._default(z.nullable(z.enum(conclusions)), null),
});

const CheckRun = z.object({
  ...Result.shape,
  id: z.int(),
  repository: z.string(),
  name: z.string(),
  head_sha: z.string(),
  started_at: z.string(),
  completed_at: z.nullable(z.string()),
});
type CheckRun = z.infer<typeof CheckRun>;

interface CheckRunsOptions {
  /** Where they are kept. */
  readonly file: string;
  /** Origin of the code host. */
  readonly url: string;
  readonly refs: Refs;
  readonly webhooks: Webhooks;
}

/** Results of checks, which whoever may write to the repository reports. Nothing runs here. */
export class CheckRuns {
  private readonly stored: JsonFile<typeof CheckRun>;

  constructor(private readonly options: CheckRunsOptions) {
    this.stored = new JsonFile(options.file, CheckRun);
  }

  /** `POST /repos/{owner}/{name}/check-runs` */
  create(call: WorkCall): Reply {
    const fields = fieldsOf(call.request);
    const { name = '', head_sha = '' } = fields;
    const result = resultOf(fields);
    if (name === '' || !result) return invalid('name, status or conclusion is invalid');
    if (!/^[0-9a-f]{40}$/.test(head_sha) || !this.options.refs.commitOf(call.repository, head_sha))
      return invalid(`No commit found for SHA: ${head_sha}`);
    const stored = this.stored.read();
    const at = new Date().toISOString();
    const made: CheckRun = {
      ...{ id: stored.length + 1, repository: fullNameOf(call.repository), name, head_sha, ...result },
      ...{ started_at: at, completed_at: result.status === 'completed' ? at : null },
    };
    this.stored.write([...stored, made]);
    this.send(made.status === 'completed' ? 'completed' : 'created', made, call);
    return json(201, this.shown(made));
  }

  /** `PATCH /repos/{owner}/{name}/check-runs/{id}` */
  update(call: WorkCall, id: number): Reply {
    const stored = this.stored.read();
    const of = fullNameOf(call.repository);
    const before = stored.find((each) => each.id === id && each.repository === of);
    if (!before) return problem(404, 'Not Found');
    const { status, conclusion } = before;
    const result = resultOf({ status, ...(conclusion ? { conclusion } : {}), ...fieldsOf(call.request) });
    if (!result) return invalid('status or conclusion is invalid');
    const isCompleted = result.status === 'completed';
    const completed_at = isCompleted ? new Date().toISOString() : null;
    const after: CheckRun = { ...before, ...result, completed_at };
    this.stored.write(stored.map((each) => (each.id === id ? after : each)));
    if (isCompleted) this.send('completed', after, call);
    return json(200, this.shown(after));
  }

  private send(action: string, made: CheckRun, { repository, by }: WorkCall): void {
    const head_branch = this.options.refs.branchAt(repository, made.head_sha);
    const check_run = { ...this.shown(made), check_suite: { head_branch }, pull_requests: [] };
    this.options.webhooks.send({ name: 'check_run', repository, by, payload: { action, check_run } });
  }

  private shown({ repository, ...run }: CheckRun) {
    return { ...run, html_url: `${this.options.url}/${repository}/runs/${run.id}` };
  }
}

/** A conclusion completes a run, and a completed one needs a conclusion. */
function resultOf({ status, conclusion }: Readonly<Record<string, string>>) {
  const implied = conclusion === undefined ? status : 'completed';
  const result = Result.safeParse({ status: implied, conclusion }).data;
  if (!result || (result.status === 'completed') !== (result.conclusion !== null)) return undefined;
  return result;
}
