import { maxTitleLength } from './task.js';

/** The first line of a message with any text, shortened. No model is called. */
export function titleOf(message: string): string {
  const line =
    message
      .split(/[\r\n]/u)
      .map((text) => text.replace(/[\p{Cc}\s]+/gu, ' ').trim())
      .find((text) => text.length > 0) ?? 'Task';
  if (line.length <= maxTitleLength) return line;
  const start = line.slice(0, maxTitleLength - 1);
  // Not the first half of a surrogate pair.
  return `${start.replace(/[\uD800-\uDBFF]$/u, '').trimEnd()}…`;
}

const maxBranchLength = 60;
const prefix = 'svc/';
const shortId = 8;

/** The branch of a task: its title as a slug, and the end of its id to make it unique. */
export function branchOf(title: string, taskId: string): string {
  const id = taskId.slice(-shortId).toLowerCase();
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/gu, '-')
    .slice(0, maxBranchLength - prefix.length - shortId - 1)
    .replace(/^-+|-+$/gu, '');
  return `${prefix}${slug || 'task'}-${id}`;
}
