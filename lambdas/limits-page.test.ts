import { expect, it } from 'vitest';
import { endedChatDays } from './domain/chats/ended-chats.js';
import { maxOpenChats } from './domain/chats/open-chats.js';
import { maxProjectsPerUser } from './domain/projects/project.js';
import { type RateLimit, type RateLimitName, rateLimits } from './domain/rate-limits/rate-limits.js';
import { maxDraftsPerPerson, maxTasksPerProject } from './domain/tasks/task-limits.js';
import { longestHoldSeconds } from './route-row.js';
import { routes } from './routes.js';

const windows: Readonly<Record<number, string>> = {
  60: 'a minute',
  600: '10 minutes',
  3600: 'an hour',
  86400: 'a day',
};

const inDigits = (number: number): string => number.toLocaleString('en');

function rowOf([name, limit]: readonly [string, RateLimit]): string {
  const own = routes.filter((route) => route.limit === name);
  const hold = Math.max(0, ...own.map(longestHoldSeconds));
  const paths = own.map(({ method, path }) => `\`${method} ${path}\``).join('<br>');
  const often = `${inDigits(limit.limit)} in ${windows[limit.windowSeconds]}`;
  return `| ${name} | ${limit.per} | ${often} | ${limit.inFlight ?? ''} | ${hold ? `${hold} s` : ''} | ${paths} |`;
}

const page = `# Limits

Made from \`lambdas/domain/rate-limits/rate-limits.ts\` and \`lambdas/http/*/routes.ts\`;
\`npm run generate\` updates this page.

Each limit is counted per caller: a person, the address of an anonymous caller, a workspace or a node by its callback token, or an
agent by its MCP token; CHANNEL_PUBLISH per project, whichever agent publishes; CREDENTIAL_USAGE per agent session. Routes in one row share the limit. "In progress" bounds the requests that one caller has running at a time.
A call of an agent's tool counts against the limits of the HTTP actions that it equals, for its person; a repeated submission of a task is not counted.
The longest hold is the timeout of the route's function. \`UPLOAD_BYTES\` counts the bytes of attachments. \`limitFactor\`
([deploying.md](deploying.md)) multiplies the numbers of requests, except those of GIT_TOKEN.

| Limit | Counted per | Requests | In progress | Longest hold | Routes |
|---|---|---|---|---|---|
${(Object.entries(rateLimits) as [RateLimitName, RateLimit][]).map(rowOf).join('\n')}

Callbacks that only write what a token's own workspace reports are not counted in the table. The throttle of API Gateway and the
caps of each record bound them. Reads of the table are bounded by the throttle alone.
A route that anybody may call has a lower throttle of its own, so that a flood of it leaves room for nodes and signed-in people.

## Records

The transaction that creates a record counts it, whoever asks: a route, a tool or a saga. Concurrent requests cannot pass a limit. The answer is 409 with
the code, and its message names the limit.

| Records | Limit | Code | Place is free after |
|---|---|---|---|
| projects of a person | ${inDigits(maxProjectsPerUser)} | \`PROJECT_LIMIT_REACHED\` | the project is detached |
| workspaces of a person | \`maxWorkspacesPerUser\` ([deploying.md](deploying.md)) | \`WORKSPACE_LIMIT_REACHED\` | the workspace is deleted |
| tasks of a project | ${inDigits(maxTasksPerProject)} | \`TASK_LIMIT_REACHED\` | the task is deleted |
| tasks of a person that were never run | ${inDigits(maxDraftsPerPerson)} | \`DRAFT_LIMIT_REACHED\` | the task is run or deleted |
| chat sessions of a person without a task that have not ended | ${inDigits(maxOpenChats)} | \`CHAT_LIMIT_REACHED\` | the session has ended |

A chat session of a task counts as its task. Ended chat sessions are removed from the count when it is full. Those without a message are
deleted 30 days later, the others ${endedChatDays} days later, unless they were resumed or a restart of their workspace can resume them.
[record-bounds.md](record-bounds.md) has the bound and the end of each kind of record.
`;

it('lists every limit in docs/limits.md', async () => {
  await expect(page).toMatchFileSnapshot('../docs/limits.md');
});
