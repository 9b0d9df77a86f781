/** What a reader needs before the operations, as HTML. docs/api.md says more of each. */
export const docsChapters = [
  {
    id: 'quick-start',
    title: 'Quick start',
    html: `<p>Sign in with a browser and copy the value of the cookie <code>__Host-berth_session</code>, or on the laptop take it from
the answer to the sign-in. Then:</p>
<pre>export BERTH=https://your-deployment SESSION='value of the cookie' PROJECT='id of a project'
curl --fail-with-body "$BERTH/api/projects" --cookie "__Host-berth_session=$SESSION"
curl --fail-with-body "$BERTH/api/projects/$PROJECT/tasks/submit" --cookie "__Host-berth_session=$SESSION" \\
  -H 'content-type: application/json' -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"message":"Add a test for the parser"}'</pre>
<p>The first call lists your projects. The second starts an agent on a new branch and answers at once;
<a href="#tasksGet"><code>GET /api/projects/{projectId}/tasks/{taskId}</code></a> returns the progress.</p>`,
  },
  {
    id: 'authentication',
    title: 'Authentication',
    html: `<p>A person has a sign-in session: <a href="#authSignIn"><code>POST /api/auth/sign-in/social</code></a> returns the address of
the code host, and the browser comes back with the cookie <code>__Host-berth_session</code>, which is valid for 7 days. Send that cookie with every
call. A call of a browser that changes something must come from the deployment's own origin; other clients send neither
<code>Origin</code> nor <code>Sec-Fetch-Site</code>.</p>
<p>Node agents send callback tokens and coding agents send MCP tokens, both as <code>Authorization: Bearer</code>. Each accepts only
the operations that say so. Terminals and the sockets of nodes take short-lived tokens from
<a href="#terminalToken"><code>POST /api/terminal/token</code></a>.</p>`,
  },
  {
    id: 'rules',
    title: 'Errors, lists and repeated calls',
    html: `<p>Every failure answers <code>{ "error": CODE, "message": text, "requestId": id }</code>, a bad request also <code>details</code>
with the failing fields. Codes are stable, messages are for people. Lists take <code>limit</code> and <code>cursor</code> and
answer <code>nextCursor</code>, null on the last page. Bodies may have 256 KiB.</p>
<p>A client that does not get the answer to a creation repeats it with the same <code>Idempotency-Key</code> header; the record is created
once. A 429 or 503 may say in <code>Retry-After</code> after how many seconds to try again.</p>`,
  },
  {
    id: 'live',
    title: 'Live changes over a WebSocket',
    html: `<p>Open a WebSocket at <code>/live</code> with the session cookie, and subscribe to one or more topics:</p>
<pre>{"action":"subscribe","topic":"chat:&lt;id&gt;"}
{"action":"subscribe","topic":"project:&lt;id&gt;"}
{"action":"subscribe","topic":"workspace:&lt;id&gt;"}
{"action":"subscribe","topic":"user:&lt;your id&gt;"}</pre>
<table><thead><tr><th>Topic</th><th>Events</th></tr></thead><tbody>
<tr><td><code>chat</code></td><td><code>message.new</code>, <code>messages.batch</code>, <code>session.updated</code>, <code>session.activity</code>,
<code>prompt.updated</code>, <code>interaction.updated</code>, <code>attention.created</code>, <code>attention.resolved</code>, and those of a session: <code>session.sleeping</code>,
<code>session.woke</code>, <code>session.archived</code>, <code>session.stopped</code>, <code>session.failed</code></td></tr>
<tr><td><code>project</code></td><td><code>session.created</code>, <code>task.updated</code>, the events of its sessions and their attention</td></tr>
<tr><td><code>workspace</code></td><td><code>workspace.status</code>, <code>workspace.boot_log</code>, <code>workspace.evicted</code>, <code>session.wake_progress</code></td></tr>
<tr><td><code>user</code></td><td><code>inbox.added</code>, <code>inbox.resolved</code></td></tr>
</tbody></table>
<p>A frame is one event, or <code>{"type":"events","events":[…]}</code>. <code>version</code> grows with every change of a record: drop an older
one. Messages have a <code>sequence</code> without gaps: after a gap or a reconnect fetch the messages after your last one.</p>`,
  },
  {
    id: 'versions',
    title: 'Versions',
    html: `<p><a href="/openapi.json"><code>/openapi.json</code></a> names the version of the API. Releases add operations and fields: ignore fields that you
do not know. Before version 1.0.0 a release can also change or remove one; compare the documents of both releases before an upgrade.</p>`,
  },
] as const;
