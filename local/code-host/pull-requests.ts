import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Repository } from './directory.js';
import { fieldsOf, type HostRequest, json, type Reply } from './reply.js';

const PullRequest = z.object({
  repository: z.string(),
  number: z.int(),
  head: z.string(),
  base: z.string(),
  title: z.string(),
  body: z._default(z.string(), ''),
});
type PullRequest = z.infer<typeof PullRequest>;

interface PullRequestsOptions {
  /** Where they are kept. */
  readonly file: string;
  /** Folder of the bare repositories. */
  readonly repositories: string;
  /** Origin of the code host. */
  readonly url: string;
}

/** The open pull requests of the code host. */
export class PullRequests {
  constructor(private readonly options: PullRequestsOptions) {}

  answer(repository: Repository, request: HostRequest): Reply {
    return request.method === 'GET' ? this.list(repository, request) : this.create(repository, request);
  }

  /** `GET /repos/{owner}/{name}/pulls?head={owner}:{branch}` */
  private list({ owner, name }: Repository, { url }: HostRequest): Reply {
    const head = url.searchParams.get('head');
    const found = this.stored()
      .filter(({ repository }) => repository === `${owner}/${name}`)
      .filter((each) => head === null || head === `${owner}:${each.head}`);
    return json(
      200,
      found.map((each) => this.shown(each)),
    );
  }

  /** `POST /repos/{owner}/{name}/pulls` */
  private create({ owner, name }: Repository, request: HostRequest): Reply {
    const { head = '', base = '', title = '', body = '' } = fieldsOf(request);
    const repository = `${owner}/${name}`;
    const stored = this.stored();
    if (!this.hasBranch(repository, head) || !this.hasBranch(repository, base) || title === '')
      return refused('head, base or title is invalid');
    if (this.commitsBetween(repository, base, head) === 0)
      return refused(`No commits between ${base} and ${head}`);
    if (stored.some((each) => each.repository === repository && each.head === head))
      return refused(`A pull request already exists for ${owner}:${head}.`);
    const made = { repository, number: stored.length + 1, head, base, title, body };
    writeFileSync(this.options.file, JSON.stringify([...stored, made]), { mode: 0o600 });
    return json(201, this.shown(made));
  }

  find(repository: string, number: number): PullRequest | undefined {
    return this.stored().find((each) => each.repository === repository && each.number === number);
  }

  private shown({ repository, number, head, base, title, body }: PullRequest) {
    const html_url = `${this.options.url}/${repository}/pull/${number}`;
    return { number, state: 'open', title, body, html_url, head: { ref: head }, base: { ref: base } };
  }

  private stored(): PullRequest[] {
    const { file } = this.options;
    return existsSync(file) ? z.array(PullRequest).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
  }

  private commitsBetween(repository: string, base: string, head: string): number {
    const folder = join(this.options.repositories, `${repository}.git`);
    const range = `refs/heads/${base}..refs/heads/${head}`;
    return Number(spawnSync('git', ['-C', folder, 'rev-list', '--count', range]).stdout);
  }

  private hasBranch(repository: string, branch: string): boolean {
    const folder = join(this.options.repositories, `${repository}.git`);
    const check = ['-C', folder, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
    return spawnSync('git', check).status === 0;
  }
}

const refused = (message: string): Reply =>
  json(422, { message: 'Validation Failed', errors: [{ message }], documentation_url: '' });
