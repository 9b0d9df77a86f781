import { useMemo } from 'react';
import { type PathNode, pathTree } from '../ui/path-tree.js';
import type { Change } from './changes.js';
import { idOf } from './file-change.js';
import { shownPath } from './git-path.js';

/** The files that changed, in their folders. A name leads to the file. */
export function ChangeTree({ changes }: { readonly changes: readonly Change[] }) {
  const tree = useMemo(() => pathTree(changes.map((change) => [change.path, change] as const)), [changes]);
  return (
    <section className="change-tree" aria-label="Changed files">
      <Folder node={tree} />
    </section>
  );
}

function Folder({ node }: { readonly node: PathNode<Change> }) {
  return (
    <ul>
      {node.folders.map((folder) => (
        <li key={folder.name}>
          <span className="quiet">{shownPath(folder.name)}</span>
          <Folder node={folder} />
        </li>
      ))}
      {node.items.map(([name, { key, isStaged }]) => (
        <li key={key}>
          <button type="button" className="link" onClick={() => reveal(key)}>
            {shownPath(name)}
            {isStaged && <span className="quiet"> (staged)</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

function reveal(key: string): void {
  const file = document.getElementById(idOf(key));
  const head = file?.querySelector<HTMLElement>('[data-stop="file"]');
  file?.scrollIntoView({ block: 'start' });
  head?.focus({ preventScroll: true });
  if (head?.getAttribute('aria-expanded') === 'false') head.click();
}
