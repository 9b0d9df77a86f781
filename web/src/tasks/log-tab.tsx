import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useReadAgain } from '../live/use-read-again.js';
import { clock } from '../times.js';
import { Failure } from '../ui/failure.js';
import type { TabProps } from './task-panel.js';

/** What happened to a task, and how its workspace started. */
export function LogTab({ task }: TabProps) {
  return (
    <>
      {task.workspaceId !== null && <BootLog workspaceId={task.workspaceId} />}
      <Events task={task} />
    </>
  );
}

type Line = AnswerOf<'GET /api/workspaces/{workspaceId}/boot-log'>['logs'][number];
const marks: Readonly<Record<Line['status'], string>> = { started: '…', completed: '✓', failed: '✗' };

function BootLog({ workspaceId }: { readonly workspaceId: string }) {
  const { client } = useServices();
  const queryKey = ['boot-log', workspaceId];
  const log = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.call('GET /api/workspaces/{workspaceId}/boot-log', { params: { workspaceId }, signal }),
  });
  useReadAgain(log.isSuccess ? `workspace:${workspaceId}` : undefined, queryKey);
  return (
    <section aria-labelledby="boot-log">
      <h2 id="boot-log">Start of the workspace</h2>
      {log.isPending && <p className="loading">Loading …</p>}
      {log.isError && <Failure error={log.error} retry={() => void log.refetch()} />}
      {log.data?.logs.length === 0 && <p className="quiet">No steps are recorded yet.</p>}
      <ol className="boot-log plain">
        {latest(log.data?.logs ?? []).map((line) => (
          <BootLine key={line.entryId} line={line} />
        ))}
      </ol>
    </section>
  );
}

/** The end of a step takes the place of its beginning. */
function latest(lines: readonly Line[]): readonly Line[] {
  const shown: Line[] = [];
  for (const line of lines) {
    const begun = shown.findIndex(({ step, status }) => step === line.step && status === 'started');
    if (begun >= 0 && line.status !== 'started') shown[begun] = line;
    else shown.push(line);
  }
  return shown;
}

function BootLine({ line }: { readonly line: Line }) {
  const { status, message, detail, timestamp, durationMs } = line;
  return (
    <li className={status}>
      <span className="mark" aria-hidden="true">
        {marks[status]}
      </span>
      <time dateTime={timestamp}>{new Date(timestamp).toLocaleTimeString()}</time>
      <span>
        {message}
        <span className="visually-hidden"> ({status})</span>
      </span>
      {durationMs !== undefined && <span className="quiet">{(durationMs / 1_000).toFixed(1)} s</span>}
      {detail !== undefined && (
        <details>
          <summary>Details</summary>
          <pre>{detail}</pre>
        </details>
      )}
    </li>
  );
}

function Events({ task: { id: taskId, projectId, version } }: TabProps) {
  const { client } = useServices();
  const events = useQuery({
    queryKey: ['task-events', taskId, version],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks/{taskId}/events', {
        params: { projectId, taskId },
        query: { limit: 100 },
        signal,
      }),
    placeholderData: (before) => before,
  });
  return (
    <section aria-labelledby="task-events">
      <h2 id="task-events">Status of the task</h2>
      {events.isPending && <p className="loading">Loading …</p>}
      {events.isError && <Failure error={events.error} retry={() => void events.refetch()} />}
      {events.data?.events.length === 0 && <p className="quiet">The status has not changed yet.</p>}
      <ol className="plain">
        {events.data?.events.map(({ id, fromStatus, toStatus, reason, createdAt }) => (
          <li key={id}>
            <time className="quiet" dateTime={createdAt}>
              {clock(createdAt)}
            </time>{' '}
            {fromStatus ? `${fromStatus} → ${toStatus}` : toStatus}
            {reason && <span className="quiet"> {reason}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
