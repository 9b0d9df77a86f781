import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
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
  // A second click comes before the button is shown as disabled.
  const isOpening = useRef(false);
  const [draft, setDraft] = useState(() => draftOf(task));
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
    onSettled: () => {
      isOpening.current = false;
    },
  });
  const open = (data: FormData) => {
    if (isOpening.current) return;
    isOpening.current = true;
    opening.mutate(data);
  };
  const begin = () => {
    opening.reset();
    // The dialog gives the focus to a field of the form that it has when it opens.
    flushSync(() => setDraft(draftOf(task)));
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className="small" onClick={begin}>
        Open a pull request
      </button>
      <dialog ref={dialog} aria-labelledby={heading}>
        <h2 id={heading}>Open a pull request</h2>
        {/* Made again only when it opens with other texts: what a person types stays. */}
        <Form key={`${draft.title} ${draft.body}`} error={opening.error} submit={open}>
          <p className="hint">
            It contains what is pushed to <code>{branch}</code>, and is opened with your right at the code
            host.
          </p>
          <TextField label="Title" name="title" required maxLength={256} defaultValue={draft.title} />
          <TextArea label="Description" name="body" rows={8} defaultValue={draft.body} />
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

/** An agent that has finished sums up its work. */
const draftOf = ({ title, outputSummary, description }: WholeTask) => ({
  title,
  body: outputSummary ?? description ?? '',
});
