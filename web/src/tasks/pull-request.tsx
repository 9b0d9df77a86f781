import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { useServices } from '../app/services.js';
import { TextArea, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import type { WholeTask } from './use-task.js';

/** The pull request of a task, or a form that opens one. */
export function PullRequest({ task }: { readonly task: WholeTask }) {
  const { outputBranch, outputPrUrl } = task;
  if (outputPrUrl)
    return (
      <a href={outputPrUrl} target="_blank" rel="noreferrer noopener">
        Pull request
      </a>
    );
  return outputBranch && <OpenPullRequest task={task} branch={outputBranch} />;
}

interface OpenProps {
  readonly task: WholeTask;
  readonly branch: string;
}

function OpenPullRequest({ task, branch }: OpenProps) {
  const { client } = useServices();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const { id: taskId, projectId } = task;
  const opening = useMutation({
    mutationFn: (data: FormData) =>
      client.call('POST /api/projects/{projectId}/tasks/{taskId}/pull-request', {
        params: { projectId, taskId },
        body: { title: String(data.get('title')), body: String(data.get('body')) },
      }),
    onSuccess: async () => {
      dialog.current?.close();
      await queries.invalidateQueries({ queryKey: ['task', projectId, taskId] });
    },
  });
  const begin = () => {
    opening.reset();
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className="small" onClick={begin}>
        Open a pull request
      </button>
      <dialog ref={dialog} aria-labelledby={heading}>
        <h2 id={heading}>Open a pull request</h2>
        {/* Made again when the task changes: an agent that has finished sums up its work. */}
        <Form key={task.version} error={opening.error} submit={opening.mutate}>
          <p className="hint">
            It contains what is pushed to <code>{branch}</code>, and is opened with your right at the code
            host.
          </p>
          <TextField label="Title" name="title" required maxLength={256} defaultValue={task.title} />
          <TextArea label="Description" name="body" rows={8} defaultValue={draftOf(task)} />
          <div className="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button type="submit" className="primary" disabled={opening.isPending}>
              Open
            </button>
          </div>
        </Form>
      </dialog>
    </>
  );
}

const draftOf = ({ outputSummary, description }: WholeTask): string => outputSummary ?? description ?? '';
