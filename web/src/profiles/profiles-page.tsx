import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { may, useProject, useProjectId, type WholeProject } from '../projects/use-project.js';
import { Loaded } from '../ui/loaded.js';
import { type Kind, type Profile, profiles, skills } from './kinds.js';
import { ProfileCard } from './profile-card.js';
import { ProfileForm } from './profile-form.js';

export const ProfilesPage = () => <RecordsPage kind={profiles} />;
export const SkillsPage = () => <RecordsPage kind={skills} />;

function RecordsPage({ kind }: { readonly kind: Kind }) {
  useTitle(kind.title);
  const project = useProject(useProjectId());
  return <Loaded query={project}>{(data) => <Records kind={kind} project={data} />}</Loaded>;
}

interface RecordsProps {
  readonly kind: Kind;
  readonly project: WholeProject;
}

function Records({ kind, project }: RecordsProps) {
  const { client } = useServices();
  const records = useQuery({
    queryKey: [kind.key, project.id],
    queryFn: async () => {
      const all: Profile[] = [];
      for await (const one of kind.list(client, project.id)) all.push(one);
      return all;
    },
  });
  const mayChange = may(project, 'project:update');
  return (
    <section aria-labelledby="records">
      <h2 id="records">{kind.title}</h2>
      <p className="quiet">{kind.about}</p>
      {mayChange && <NewRecord kind={kind} projectId={project.id} />}
      <Loaded query={records}>
        {(data) => (
          <>
            {data.length === 0 && <p className="card">No {kind.noun}s yet.</p>}
            <ul className="plain">
              {data.map((record) => (
                <ProfileCard key={record.id} {...{ kind, record, mayChange }} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

function NewRecord({ kind, projectId }: { readonly kind: Kind; readonly projectId: string }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen)
    return <ProfileForm kind={kind} projectId={projectId} record={undefined} close={() => setOpen(false)} />;
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        New {kind.noun}
      </button>
    </p>
  );
}
