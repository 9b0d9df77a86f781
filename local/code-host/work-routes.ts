import { join } from 'node:path';
import { accessOf } from './access.js';
import { CheckRuns } from './check-runs.js';
import type { Collaborators } from './collaborators.js';
import { findRepository, type Repository } from './directory.js';
import type { Grant, Grants } from './grants.js';
import { PullRequests, type WorkCall } from './pull-requests.js';
import { noCommit, type RefChange, type Refs } from './refs.js';
import { bearerOf, fieldsOf, type HostRequest, invalid, json, problem, type Reply } from './reply.js';
import type { Webhooks } from './webhooks.js';

interface WorkParts {
  /** Origin of the code host. */
  readonly url: string;
  /** Where its records are kept. */
  readonly folder: string;
  readonly grants: Grants;
  readonly collaborators: Collaborators;
  readonly refs: Refs;
  readonly webhooks: Webhooks;
}

type Parameters = readonly string[];
type Handler = (request: HostRequest, parameters: Parameters) => Reply;
type WorkRoute = readonly [method: string, path: RegExp, handler: Handler];

const below = (path: string) => new RegExp(`^/repos/([^/]+)/([^/]+)/${path}$`);

/** Requests about the work in a repository: pushes, pull requests, comments, check runs. */
export class WorkRoutes {
  readonly routes: readonly WorkRoute[];
  readonly pullRequests: PullRequests;
  private comments = 0;

  constructor(private readonly parts: WorkParts) {
    const { url, folder, refs, webhooks } = parts;
    const pulls = new PullRequests({ file: join(folder, 'pull-requests.json'), url, refs, webhooks });
    const checks = new CheckRuns({ file: join(folder, 'check-runs.json'), url, refs, webhooks });
    this.pullRequests = pulls;
    this.routes = [
      ['GET', below('pulls'), this.asWriter((call) => pulls.list(call))],
      ['POST', below('pulls'), this.asWriter((call) => pulls.create(call))],
      ['PATCH', below('pulls/(\\d+)'), this.asWriter((call, [id]) => pulls.update(call, Number(id)))],
      [
        'POST',
        below('issues/(\\d+)/comments'),
        this.asWriter((call, [number]) => this.comment(call, Number(number))),
      ],
      ['POST', below('check-runs'), this.asWriter((call) => checks.create(call))],
      ['PATCH', below('check-runs/(\\d+)'), this.asWriter((call, [id]) => checks.update(call, Number(id)))],
    ];
  }

  /** Call the result once the push has ended. */
  beginPush(repository: Repository, by: Grant | undefined): () => void {
    const end = this.parts.refs.beginPush(repository);
    return () => {
      for (const change of end()) this.announcePush(change, { repository, by });
    };
  }

  private announcePush(change: RefChange, { repository, by }: Pick<WorkCall, 'repository' | 'by'>): void {
    const { ref, before, after } = change;
    const created = before === noCommit;
    const deleted = after === noCommit;
    const compare = `${this.parts.url}/${repository.owner}/${repository.name}/compare/${before}...${after}`;
    const payload = { ref, before, after, created, deleted, forced: false, compare };
    this.parts.webhooks.send({ name: 'push', repository, by, payload });
    if (!deleted) this.pullRequests.followPush(change, { repository, by });
  }

  /** `POST /repos/{owner}/{name}/issues/{number}/comments`, on a pull request. */
  private comment({ repository, request, by }: WorkCall, number: number): Reply {
    const title = this.pullRequests.find(repository, number)?.title;
    if (title === undefined) return problem(404, 'Not Found');
    const { body = '' } = fieldsOf(request);
    if (body === '') return invalid('body is missing');
    this.comments += 1;
    const pull = `${this.parts.url}/${repository.owner}/${repository.name}/pull/${number}`;
    const html_url = `${pull}#issuecomment-${this.comments}`;
    const comment = { id: this.comments, body, html_url, updated_at: new Date().toISOString() };
    const issue = { number, title, pull_request: { html_url: pull } };
    const payload = { action: 'created', issue, comment };
    this.parts.webhooks.send({ name: 'issue_comment', repository, by, payload });
    return json(201, comment);
  }

  private asWriter(handler: (call: WorkCall, parameters: Parameters) => Reply): Handler {
    return (request, [owner = '', name = '', ...parameters]) => {
      const by = this.parts.grants.find(bearerOf(request) ?? '');
      const repository = findRepository(owner, name);
      const access = repository && accessOf(by, repository, this.parts.collaborators);
      if (!repository || !access?.read) return problem(404, 'Not Found');
      return access.write ? handler({ repository, request, by }, parameters) : problem(403, 'Not accessible');
    };
  }
}
