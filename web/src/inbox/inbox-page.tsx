import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTitle } from '../app/title.js';
import { useProjects } from '../projects/use-projects.js';
import { Loaded } from '../ui/loaded.js';
import { ShowMore } from '../ui/show-more.js';
import { InboxItem } from './inbox-item.js';
import { byProject } from './inbox-words.js';
import { type Item, useInbox } from './use-inbox.js';
import { useItemKeys } from './use-item-keys.js';

/** What waits for the person in all projects. */
export function InboxPage() {
  useTitle('Inbox');
  return (
    <>
      <h1>Inbox</h1>
      <Items />
    </>
  );
}

function Items() {
  const inbox = useInbox();
  return (
    <Loaded query={inbox}>
      {({ pages }) => (
        <>
          <Listed items={pages.flatMap((page) => page.items)} />
          <ShowMore pages={inbox} />
        </>
      )}
    </Loaded>
  );
}

function Listed({ items }: { readonly items: readonly Item[] }) {
  if (items.length === 0) return <p className="card">Nothing waits for you.</p>;
  return (
    <>
      <p className="hint">
        <kbd>j</kbd> and <kbd>k</kbd> go to the next and the previous item. <kbd>Enter</kbd> opens it, a digit
        chooses one of its answers.
      </p>
      <Groups items={items} />
    </>
  );
}

function Groups({ items }: { readonly items: readonly Item[] }) {
  const list = useRef<HTMLDivElement>(null);
  const projects = useProjects().data ?? [];
  useItemKeys(list);
  return (
    <div ref={list} className="inbox">
      {byProject(items).map(([projectId, members]) => (
        <section key={projectId} aria-labelledby={`project-${projectId}`}>
          <h2 id={`project-${projectId}`}>
            <Link to="/projects/$projectId" params={{ projectId }}>
              {projects.find(({ id }) => id === projectId)?.name ?? 'Project'}
            </Link>{' '}
            <span className="quiet">{members.length}</span>
          </h2>
          <ul className="plain">
            {members.map((item) => (
              <InboxItem key={item.id} item={item} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
