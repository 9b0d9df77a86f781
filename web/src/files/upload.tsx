import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import type { BerthClient } from '../../../client/berth-client.js';
import { messageOf, Refused } from '../api-error.js';
import { useServices } from '../app/services.js';
import type { ChatPlace } from '../chat/chat-place.js';
import { nodeUnreachable } from '../node-advice.js';
import { formOf, isForNode, uploadProblem } from './upload-form.js';

/** Brings files into a folder of the workspace. */
export function Upload({ where }: { readonly where: ChatPlace }) {
  const { client } = useServices();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const uploading = useMutation({
    mutationFn: (body: Chosen) => send(client, where, body),
    onSuccess: () => form.current?.reset(),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['files', where.sessionId] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const files = given.getAll('files').filter((one) => one instanceof File && one.name !== '') as File[];
    const destination = String(given.get('destination')).trim() || '.';
    if (files.length > 0) uploading.mutate({ destination, files });
  };
  return (
    <details className="folded">
      <summary>Upload files</summary>
      <form className="buttons" ref={form} onSubmit={submit}>
        <label htmlFor="upload-files">Files</label>
        <input id="upload-files" name="files" type="file" multiple required />
        <label htmlFor="upload-folder">Folder</label>
        <input id="upload-folder" name="destination" placeholder="of the repository" />
        <button type="submit" className="small" disabled={uploading.isPending}>
          {uploading.isPending ? 'Uploading …' : 'Upload'}
        </button>
      </form>
      <p role="status">{uploading.isSuccess && 'Uploaded.'}</p>
      {uploading.isError && (
        <p className="notice bad" role="alert">
          {messageOf(uploading.error)}
        </p>
      )}
    </details>
  );
}

interface Chosen {
  readonly destination: string;
  readonly files: readonly File[];
}

async function send(client: BerthClient, where: ChatPlace, { destination, files }: Chosen): Promise<void> {
  const problem = uploadProblem(files);
  if (problem !== null) throw new Refused(problem);
  const body = formOf(destination, files);
  if (!isForNode(files)) {
    await client.call('POST /api/projects/{projectId}/sessions/{sessionId}/files/upload', {
      ...{ params: where, body },
    });
    return;
  }
  const { url } = await client.call(
    'POST /api/projects/{projectId}/sessions/{sessionId}/files/upload-address',
    { params: where },
  );
  const answer = await fetch(url, { method: 'POST', body }).catch(() => {
    throw nodeUnreachable(new URL(url));
  });
  if (!answer.ok) throw new Refused(`The node refused the files (status ${answer.status}).`);
}
