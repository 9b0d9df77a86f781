import { useServices } from '../app/services.js';
import { projectKey, type WholeProject } from '../projects/use-project.js';
import { day } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { type Member, membersKey, nameOfMember } from './member.js';

interface OwnershipOfferProps {
  readonly project: WholeProject;
  readonly member: Member;
  readonly isSelf: boolean;
}

/** An offer of the ownership that waits for the member: both people can end it. */
export function OwnershipOffer({ project, member, isSelf }: OwnershipOfferProps) {
  const { client, queries } = useServices();
  const { ownershipOffer: offer } = member;
  if (!offer) return null;
  const { id: projectId, name } = project;
  const params = { projectId, userId: member.userId };
  const refresh = async () => {
    void queries.invalidateQueries({ queryKey: projectKey(projectId) });
    await queries.invalidateQueries({ queryKey: membersKey(projectId) });
  };
  const accept = async () => {
    await client.call('POST /api/projects/{projectId}/members/{userId}/accept-ownership', { params });
    await refresh();
  };
  const end = async () => {
    await client.call('DELETE /api/projects/{projectId}/members/{userId}/ownership-offer', { params });
    await refresh();
  };
  return (
    <span className="buttons">
      <span className="badge">Ownership offered until {day(offer.expiresAt)}</span>
      {isSelf && (
        <ConfirmButton
          label="Accept the ownership"
          className="small"
          title={`Become the owner of ${name}?`}
          run={accept}
        >
          The project counts among yours, with its name and repository, and the present owner becomes an
          admin. Settings that other members wrote stay: read them before you allow your own credentials.
        </ConfirmButton>
      )}
      {isSelf && (
        <ConfirmButton label="Decline" title="Decline the ownership?" run={end}>
          The present owner stays the owner.
        </ConfirmButton>
      )}
      {!isSelf && project.role === 'owner' && (
        <ConfirmButton
          label="Cancel the offer"
          about={`to ${nameOfMember(member)}`}
          title="Cancel the offer of the ownership?"
          run={end}
        >
          You stay the owner.
        </ConfirmButton>
      )}
    </span>
  );
}
