import { useQuery } from '@tanstack/react-query';
import { useServices, useSession } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { may, useProject, useProjectId, type WholeProject } from '../projects/use-project.js';
import { day } from '../times.js';
import { Loaded } from '../ui/loaded.js';
import { Invitations } from './invitations.js';
import { membersKey, nameOfMember } from './member.js';
import { MemberActions } from './member-actions.js';
import { OwnershipOffer } from './ownership-offer.js';

/** Who works in a project, and who is invited. */
export function MembersPage() {
  useTitle('Members');
  return (
    <Loaded query={useProject(useProjectId())}>
      {(project) => (
        <>
          <Members project={project} />
          {may(project, 'member:manage') && <Invitations projectId={project.id} />}
        </>
      )}
    </Loaded>
  );
}

function Members({ project }: { readonly project: WholeProject }) {
  const { client } = useServices();
  const { id: projectId } = project;
  const own = useSession().data?.user.id;
  const members = useQuery({
    queryKey: membersKey(projectId),
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/members', { params: { projectId }, signal }),
  });
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <Loaded query={members}>
        {(data) => (
          <ul className="plain">
            {data.members.map((member) => (
              <li key={member.userId} className="card row">
                <span className="strong">{nameOfMember(member)}</span>
                {member.userId === own && <span className="quiet">you</span>}
                <span className="badge quiet">{member.role}</span>
                <span className="quiet">since {day(member.joinedAt)}</span>
                <OwnershipOffer project={project} member={member} isSelf={member.userId === own} />
                <MemberActions project={project} member={member} isSelf={member.userId === own} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
