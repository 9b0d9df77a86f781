import * as z from 'zod/mini';
import { fullNameOf, type Repository } from './directory.js';
import type { Grant } from './grants.js';
import { JsonFile } from './json-file.js';
import type { RefChange, Refs } from './refs.js';
import { fieldsOf, type HostRequest, invalid, invalidField, json, problem, type Reply } from './reply.js';
import type { Webhooks } from './webhooks.js';

const PullRequest = z.object({
  repository: z.string(),
  number: z.int(),
  head: z.string(),
  base: z.string(),
  title: z.string(),
  body: z._default(z.string(), ''),
  state: z._default(z.enum(['open', 'closed']), 'open'),
  headSha: z._default(z.string(), ''),
  baseSha: z._default(z.string(), ''),
  updatedAt: z._default(z.string(), new Date(0).toISOString()),
});
type PullRequest = z.infer<typeof PullRequest>;

interface PullRequestsOptions {
  /** Where they are kept. */
  readonly file: string;
  /** Origin of the code host. */
  readonly url: string;
  readonly refs: Refs;
  readonly webhooks: Webhooks;
}

/** A request about a repository that its token may write to. */
export interface WorkCall {
  readonly repository: Repository;
  readonly request: HostRequest;
  readonly by: Grant | undefined;
}

/** The pull requests of the code host. */
export class PullRequests {
  private readonly stored: JsonFile<typeof PullRequest>;

  constructor(private readonly options: PullRequestsOptions) {
    this.stored = new JsonFile(options.file, PullRequest);
  }

  /** `GET /repos/{owner}/{name}/pulls?head={owner}:{branch}` */
  list({ repository, request: { url } }: WorkCall): Reply {
    const head = url.searchParams.get('head');
    const state = url.searchParams.get('state') ?? 'open';
    const found = this.of(repository)
      .filter((each) => state === 'all' || each.state === state)
      .filter((each) => head === null || head === `${repository.owner}:${each.head}`);
    return json(
      200,
      found.map((each) => this.shown(each)),
    );
  }

  /** `POST /repos/{owner}/{name}/pulls` */
  create(call: WorkCall): Reply {
    const { head = '', base = '', title = '', body = '' } = fieldsOf(call.request);
    const { refs } = this.options;
    const headSha = refs.commitOf(call.repository, head);
    const baseSha = refs.commitOf(call.repository, base);
    if (!headSha) return invalidField('head');
    if (!baseSha) return invalidField('base');
    if (title === '') return invalidField('title');
    if (!refs.isAhead(call.repository, head, base)) return invalid(`No commits between ${base} and ${head}`);
    if (this.of(call.repository).some((each) => each.state === 'open' && each.head === head))
      return invalid(`A pull request already exists for ${call.repository.owner}:${head}.`);
    const stored = this.stored.read();
    const made: PullRequest = {
      ...{ repository: fullNameOf(call.repository), number: stored.length + 1, head, base, title, body },
      ...{ state: 'open', headSha, baseSha, updatedAt: new Date().toISOString() },
    };
    this.stored.write([...stored, made]);
    this.send('opened', made, call);
    return json(201, this.shown(made));
  }

  /** `PATCH /repos/{owner}/{name}/pulls/{number}` closes and reopens. */
  update(call: WorkCall, number: number): Reply {
    const before = this.find(call.repository, number);
    if (!before) return problem(404, 'Not Found');
    const { state = before.state } = fieldsOf(call.request);
    if (state !== 'open' && state !== 'closed') return invalid('state is invalid');
    const after = this.change(before, { state });
    if (state !== before.state) this.send(state === 'open' ? 'reopened' : 'closed', after, call);
    return json(200, this.shown(after));
  }

  /** A push to the branch of an open one. */
  followPush({ ref, after }: RefChange, by: Pick<WorkCall, 'repository' | 'by'>): void {
    const pushed = this.of(by.repository).filter(
      ({ head, state }) => state === 'open' && ref === `refs/heads/${head}`,
    );
    for (const each of pushed) {
      this.send('synchronize', this.change(each, { headSha: after }), by);
    }
  }

  private send(action: string, made: PullRequest, { repository, by }: Pick<WorkCall, 'repository' | 'by'>) {
    const payload = { action, number: made.number, pull_request: this.shown(made) };
    this.options.webhooks.send({ name: 'pull_request', repository, by, payload });
  }

  private change(pull: PullRequest, set: Partial<PullRequest>): PullRequest {
    const changed = { ...pull, ...set, updatedAt: new Date().toISOString() };
    this.stored.write(this.stored.read().map((each) => (each.number === pull.number ? changed : each)));
    return changed;
  }

  private of(of: Repository): PullRequest[] {
    return this.stored.read().filter(({ repository }) => repository === fullNameOf(of));
  }

  /** An open or closed one. */
  find(repository: Repository, number: number): PullRequest | undefined {
    return this.of(repository).find((each) => each.number === number);
  }

  private shown({ repository, number, state, title, body, updatedAt, ...ends }: PullRequest) {
    const html_url = `${this.options.url}/${repository}/pull/${number}`;
    const head = { ref: ends.head, sha: ends.headSha };
    const base = { ref: ends.base, sha: ends.baseSha };
    return {
      number,
      state,
      title,
      body,
      html_url,
      merged: false,
      updated_at: updatedAt,
      head,
      base,
    };
  }
}
