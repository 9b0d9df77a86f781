import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import type { InputOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useDraft } from '../chat/use-draft.js';
import { agents, oneOf, taskModes } from '../launch/choices.js';
import { SelectField, TextArea } from '../ui/field.js';
import { Form } from '../ui/form.js';
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
    <Form className="card composer" error={submitting.error} submit={submit}>
      <TextArea
        label={`What should an agent do in ${repository}?`}
        hint="Ctrl+Enter submits. The agent works on a branch of its own."
        name="message"
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
    </Form>
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

interface ChoicesProps {
  readonly choice: Choice;
  readonly change: (choice: Choice) => void;
}

const Choices = ({ choice, change }: ChoicesProps) => (
  <span className="buttons">
    <SelectField
      label="Agent"
      name="agentType"
      choices={[['', 'Default of the project'], ...agents]}
      value={choice.agentType ?? ''}
      onChange={({ target: { value } }) => {
        const { agentType: _, ...others } = choice;
        const agentType = oneOf(agents, value);
        change(agentType ? { ...others, agentType } : others);
      }}
    />
    <SelectField
      label="Ends"
      name="taskMode"
      choices={taskModes}
      value={choice.taskMode ?? 'conversation'}
      onChange={({ target: { value } }) =>
        change({ ...choice, taskMode: oneOf(taskModes, value) ?? 'conversation' })
      }
    />
  </span>
);
