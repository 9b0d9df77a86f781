import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../client/api-error.js';
import type { BerthClient } from '../../../client/berth-client.js';
import { messageOf, Refused } from '../api-error.js';
import { useServices } from '../app/services.js';
import { canBeAskedFor, shownPath } from '../changes/git-path.js';
import type { ChatPlace } from '../chat/chat-place.js';
import { Failure } from '../ui/failure.js';
import { formOf } from './upload-form.js';

interface FileViewProps {
  readonly path: string;
  readonly where: ChatPlace;
}

const view = 'GET /api/projects/{projectId}/sessions/{sessionId}/files/view';

/** One file: its text, which may be changed, and its download. */
export function FileView({ path, where }: FileViewProps) {
  const { client } = useServices();
  const canBeRead = canBeAskedFor(path);
  const file = useQuery({
    queryKey: ['file', where.sessionId, path],
    queryFn: ({ signal }) => client.call(view, { params: where, query: { path }, signal }),
    enabled: canBeRead,
    retry: false,
    // What is being written is not replaced while its person looks elsewhere.
    refetchOnWindowFocus: false,
  });
  const { projectId, sessionId } = where;
  const address = `/api/projects/${projectId}/sessions/${sessionId}/files/download?${new URLSearchParams({ path })}`;
  if (!canBeRead) return <p className="quiet">The API reads no file with such a name.</p>;
  return (
    <section aria-label={shownPath(path)}>
      <div className="bar">
        <code className="strong">{shownPath(path)}</code>
        <a className="button small" href={address} download>
          Download
        </a>
      </div>
      {file.isPending && <p className="loading">Loading …</p>}
      {file.isLoadingError && <NotShown error={file.error} retry={() => void file.refetch()} />}
      {file.data && <Editor path={path} where={where} saved={file.data.content} />}
    </section>
  );
}

/** Some files are no text. They can be downloaded. */
function NotShown({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'NOT_A_TEXT_FILE') return <p className="quiet">Not a text file.</p>;
  if (code === 'PAYLOAD_TOO_LARGE') return <p className="quiet">The file is larger than 1 MiB.</p>;
  return <Failure error={error} retry={retry} />;
}

function Editor({ path, where, saved }: FileViewProps & { readonly saved: string }) {
  const { client } = useServices();
  const queries = useQueryClient();
  const [text, setText] = useState<string>();
  const saving = useMutation({
    mutationFn: (content: string) => save(client, where, { path, content, before: saved }),
    onSuccess: (_answer, content) => {
      queries.setQueryData(['file', where.sessionId, path], { filePath: path, content });
      setText(undefined);
    },
  });
  const drop = () => {
    setText(undefined);
    void queries.invalidateQueries({ queryKey: ['file', where.sessionId, path] });
  };
  if (text === undefined)
    return (
      <>
        <button type="button" className="small" onClick={() => setText(saved)}>
          Edit
        </button>
        {saving.isSuccess && <span role="status"> Saved.</span>}
        {saved === '' ? (
          <p className="quiet">The file is empty.</p>
        ) : (
          <pre className="output file">{saved}</pre>
        )}
      </>
    );
  return (
    <>
      <textarea
        className="editor"
        aria-label={`Text of ${shownPath(path)}`}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <span className="buttons">
        <button
          type="button"
          className="primary small"
          disabled={saving.isPending || text === saved}
          onClick={() => saving.mutate(text)}
        >
          Save
        </button>
        <button type="button" className="small" onClick={drop}>
          Cancel
        </button>
      </span>
      {saving.isError && (
        <p className="notice bad" role="alert">
          {messageOf(saving.error)}
        </p>
      )}
    </>
  );
}

const changedSince = 'The file has changed since you opened it. Copy your text, cancel, and edit again.';

interface Edit {
  readonly path: string;
  readonly content: string;
  /** What the person saw when they began. */
  readonly before: string;
}

/** Stores a text. What the agent wrote in between is not overwritten. */
async function save(client: BerthClient, where: ChatPlace, { path, content, before }: Edit): Promise<void> {
  const now = await client.call(view, { params: where, query: { path } });
  if (now.content !== before) throw new Refused(changedSince);
  const slash = path.lastIndexOf('/');
  await client.call('POST /api/projects/{projectId}/sessions/{sessionId}/files/upload', {
    params: where,
    body: formOf(slash < 0 ? '.' : path.slice(0, slash), [new File([content], path.slice(slash + 1))]),
  });
}
