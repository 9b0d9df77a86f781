import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { InputOf } from '../../../client/berth-client.js';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import { useDraft } from '../chat/use-draft.js';
import { tasksKey } from './task-list.js';

type Submit = InputOf<'POST /api/projects/{projectId}/tasks/submit'>['body'];
type Choice = Pick<Submit, 'agentType' | 'taskMode'>;

interface ComposerProps {
  readonly projectId: string;
  readonly repository: string;
  /** From the address. It fills the form, and is never sent by itself. */
  readonly prompt: string | undefined;
}

/** Gives a task to an agent. */
export function Composer({ projectId, repository, prompt }: ComposerProps) {
  const [draft, setDraft] = useDraft(`task.${projectId}`);
  const [isPrefilled, setPrefilled] = useState(prompt !== undefined);
  const [choice, setChoice] = useState<Choice>({ taskMode: 'conversation' });
  const message = isPrefilled ? (prompt ?? '') : draft;
  const write = (text: string) => {
    setPrefilled(false);
    setDraft(text);
  };
  const submitting = useSubmit(projectId, () => write(''));
  const submit = () => {
    if (message.trim() !== '' && !submitting.isPending) submitting.mutate({ ...choice, message });
  };
  return (
    <form
      className="card composer"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit();
      }}
    >
      <label htmlFor="task">What should an agent do in {repository}?</label>
      <textarea
        id="task"
        rows={4}
        value={message}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      <div className="bar">
        <Choices choice={choice} change={setChoice} />
        <button type="submit" className="primary" disabled={submitting.isPending || message.trim() === ''}>
          {submitting.isPending ? 'Submitting …' : 'Submit task'}
        </button>
      </div>
      <p className="hint">Ctrl+Enter submits. The agent works on a branch of its own.</p>
      {submitting.isError && (
        <p className="notice bad" role="alert">
          {messageOf(submitting.error)}
        </p>
      )}
    </form>
  );
}

function useSubmit(projectId: string, done: () => void) {
  const { client } = useServices();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: Submit) =>
      client.call('POST /api/projects/{projectId}/tasks/submit', { params: { projectId }, body }),
    onSuccess: ({ taskId }) => {
      done();
      void queries.invalidateQueries({ queryKey: tasksKey(projectId) });
      void navigate({ to: '/projects/$projectId/tasks/$taskId', params: { projectId, taskId } });
    },
  });
}

const agents = [
  ['claude-code', 'Claude Code'],
  ['openai-codex', 'OpenAI Codex'],
  ['google-gemini', 'Google Gemini'],
  ['mistral-vibe', 'Mistral Vibe'],
  ['opencode', 'OpenCode'],
  ['amp', 'Amp (experimental)'],
] as const;

interface ChoicesProps {
  readonly choice: Choice;
  readonly change: (choice: Choice) => void;
}

function Choices({ choice, change }: ChoicesProps) {
  return (
    <span className="buttons">
      <label htmlFor="agent">Agent</label>
      <select
        id="agent"
        value={choice.agentType ?? ''}
        onChange={({ target: { value } }) => {
          const agentType = agents.find(([type]) => type === value)?.[0];
          change({
            ...(choice.taskMode ? { taskMode: choice.taskMode } : {}),
            ...(agentType ? { agentType } : {}),
          });
        }}
      >
        <option value="">Default of the project</option>
        {agents.map(([type, name]) => (
          <option key={type} value={type}>
            {name}
          </option>
        ))}
      </select>
      <label htmlFor="mode">Ends</label>
      <select
        id="mode"
        value={choice.taskMode ?? 'conversation'}
        onChange={({ target: { value } }) =>
          change({ ...choice, taskMode: value === 'task' ? 'task' : 'conversation' })
        }
      >
        <option value="conversation">when you close it</option>
        <option value="task">when the agent has completed it</option>
      </select>
    </span>
  );
}
