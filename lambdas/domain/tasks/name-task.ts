import { maxTitleLength } from './task.js';

/** The first line of a message that says anything, shortened to what a list has room for. No model is asked. */
export function titleOf(message: string): string {
  const line =
    message
      .split(/[\r\n]/u)
      .map((text) => text.replace(/[\p{Cc}\s]+/gu, ' ').trim())
      .find((text) => text.length > 0) ?? 'Task';
  if (line.length <= maxTitleLength) return line;
  const start = line.slice(0, maxTitleLength - 1);
  // Half of a character that is two units long is none.
  return `${start.replace(/[\uD800-\uDBFF]$/u, '').trimEnd()}…`;
}

const maxBranchLength = 60;
const prefix = 'svc/';
const shortId = 8;

/** The branch that a task's work is on: recognisable by its title, and its own by a piece of its id. */
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
