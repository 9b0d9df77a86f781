import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import { oneOf } from '../launch/choices.js';
import { may, projectKey, type WholeProject } from '../projects/use-project.js';
import { projectsKey } from '../projects/use-projects.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { type Member, membersKey, nameOfMember } from './member.js';
import { type Role, roles } from './roles.js';

interface MemberActionsProps {
  readonly project: WholeProject;
  readonly member: Member;
  readonly isSelf: boolean;
}

/** The owner stays what they are until another person is the owner. */
export function MemberActions({ project, member, isSelf }: MemberActionsProps) {
  if (member.role === 'owner') return null;
  if (isSelf) return <Leave project={project} />;
  if (!may(project, 'member:manage')) return null;
  return (
    <span className="buttons end">
      <ChangeRole project={project} member={member} />
      <Remove project={project} member={member} />
    </span>
  );
}

type OneMember = Omit<MemberActionsProps, 'isSelf'>;

function ChangeRole({ project, member }: OneMember) {
  const { client, queries } = useServices();
  const [role, setRole] = useState<Role>(member.role);
  const { id: projectId } = project;
  const change = async () => {
    const params = { projectId, userId: member.userId };
    await client.call('PATCH /api/projects/{projectId}/members/{userId}', { params, body: { role } });
    void queries.invalidateQueries({ queryKey: projectKey(projectId) });
    await queries.invalidateQueries({ queryKey: membersKey(projectId) });
  };
  const offered = roles.filter(([one]) => one !== 'owner' || project.role === 'owner');
  return (
    <ConfirmButton
      label="Change role"
      about={`of ${nameOfMember(member)}`}
      className="small"
      title={`Role of ${nameOfMember(member)}`}
      run={change}
    >
      <select
        aria-label="Role"
        value={role}
        onChange={({ target }) => setRole(oneOf(roles, target.value) ?? role)}
      >
        {offered.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      {role === 'owner' &&
        ' The person is asked for 7 days. After the acceptance you are an admin: a project has one owner.'}
      {role === 'viewer' && ' Workspaces of a viewer are stopped, with their agents.'}
    </ConfirmButton>
  );
}

function Remove({ project: { id: projectId }, member }: OneMember) {
  const { client, queries } = useServices();
  const params = { projectId, userId: member.userId };
  const remove = async () => {
    await client.call('DELETE /api/projects/{projectId}/members/{userId}', { params });
    await queries.invalidateQueries({ queryKey: membersKey(projectId) });
  };
  return (
    <ConfirmButton
      label="Remove"
      about={nameOfMember(member)}
      title={`Remove ${nameOfMember(member)}?`}
      run={remove}
    >
      All rights in the project end at once. Workspaces of this person in the project are stopped, with their
      agents.
    </ConfirmButton>
  );
}

function Leave({ project: { id: projectId, name } }: Pick<MemberActionsProps, 'project'>) {
  const { client, queries } = useServices();
  const navigate = useNavigate();
  const leave = async () => {
    await client.call('POST /api/projects/{projectId}/leave', { params: { projectId } });
    void queries.invalidateQueries({ queryKey: projectsKey });
    void navigate({ to: '/projects', state: { notice: `You have left ${name}.` } });
  };
  return (
    <span className="end">
      <ConfirmButton label="Leave the project" title={`Leave ${name}?`} run={leave}>
        Your rights in the project end at once. Your workspaces of the project are stopped, with their agents.
      </ConfirmButton>
    </span>
  );
}
