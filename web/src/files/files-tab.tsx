import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { shownPath } from '../changes/git-path.js';
import type { ChatPlace } from '../chat/chat-place.js';
import type { TabProps } from '../tasks/task-panel.js';
import { workspaceOfChat } from '../tasks/task-state.js';
import { Loaded } from '../ui/loaded.js';
import { WorkspaceGate } from '../workspaces/workspace-gate.js';
import { FileView } from './file-view.js';
import { Upload } from './upload.js';

/** The files of the workspace: a tree, and the one that is open. */
export function FilesTab({ task }: TabProps) {
  const where = { projectId: task.projectId, sessionId: task.id };
  const [path, setPath] = useState<string>();
  return (
    <WorkspaceGate workspaceId={workspaceOfChat(task)}>
      {() => (
        <div className="changes">
          <Upload where={where} />
          <div className="change-list">
            <section className="change-tree" aria-label="Files">
              <Folder path="" where={where} open={setPath} selected={path} />
            </section>
            <div>
              {path === undefined ? (
                <p className="quiet">Choose a file.</p>
              ) : (
                <FileView key={path} path={path} where={where} />
              )}
            </div>
          </div>
        </div>
      )}
    </WorkspaceGate>
  );
}

interface FolderProps {
  readonly path: string;
  readonly where: ChatPlace;
  readonly open: (path: string) => void;
  readonly selected: string | undefined;
}

type Listing = AnswerOf<'GET /api/projects/{projectId}/sessions/{sessionId}/files/list'>;

/** Is read when it is opened. */
function Folder({ path, where, open, selected }: FolderProps) {
  const { client } = useServices();
  const folder = useQuery({
    queryKey: ['files', where.sessionId, path],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/files/list', {
        params: where,
        query: path === '' ? {} : { path },
        signal,
      }),
  });
  return (
    <Loaded query={folder}>
      {(listing) => <Entries {...listing} path={path} where={where} open={open} selected={selected} />}
    </Loaded>
  );
}

function Entries({ entries, truncated, path, where, open, selected }: FolderProps & Listing) {
  if (entries.length === 0) return <p className="quiet">Empty.</p>;
  return (
    <ul>
      {entries.map(({ name, type }) => {
        const entry = path === '' ? name : `${path}/${name}`;
        return (
          <li key={name}>
            {type === 'dir' ? (
              <SubFolder name={name} path={entry} where={where} open={open} selected={selected} />
            ) : (
              <button
                type="button"
                className="link"
                aria-current={entry === selected ? 'true' : undefined}
                onClick={() => open(entry)}
              >
                {shownPath(name)}
              </button>
            )}
          </li>
        );
      })}
      {truncated && <li className="quiet">This folder has more than 1,000 entries.</li>}
    </ul>
  );
}

function SubFolder({ name, ...folder }: FolderProps & { readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{shownPath(name)}</summary>
      {isOpen && <Folder {...folder} />}
    </details>
  );
}
