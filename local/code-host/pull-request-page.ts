import { findRepository } from './directory.js';
import type { PullRequests } from './pull-requests.js';
import { escapeHtml, page, type Reply } from './reply.js';

const path = /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)$/;

/** Nobody is signed in at these pages, so that only those of public repositories exist. */
export function pullRequestPage(pathname: string, pullRequests: PullRequests): Reply | undefined {
  const [, owner = '', name = '', number] = path.exec(pathname) ?? [];
  const repository = findRepository(owner, name);
  const found = repository?.isPrivate === false ? pullRequests.find(repository, Number(number)) : undefined;
  if (!found) return undefined;
  const { head, base, title, body } = found;
  const branches = `<code>${escapeHtml(head)}</code> into <code>${escapeHtml(base)}</code>`;
  return page(`${title} #${number}`, `<p>${branches}</p><pre>${escapeHtml(body)}</pre>`);
}
