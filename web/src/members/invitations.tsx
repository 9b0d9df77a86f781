import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { InputOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { oneOf } from '../launch/choices.js';
import { clock } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { SelectField, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import { Loaded } from '../ui/loaded.js';
import { useChange } from '../ui/use-change.js';
import { invitedRoles } from './roles.js';

const invitesKey = (projectId: string) => ['invites', projectId] as const;

/** The open invitations, and a form for one more. */
export function Invitations({ projectId }: { readonly projectId: string }) {
  const { client, queries } = useServices();
  const invites = useQuery({
    queryKey: invitesKey(projectId),
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/invites', { params: { projectId }, signal }),
  });
  const revoke = async (inviteId: string) => {
    const params = { projectId, inviteId };
    await client.call('DELETE /api/projects/{projectId}/invites/{inviteId}', { params });
    await queries.invalidateQueries({ queryKey: invitesKey(projectId) });
  };
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <NewInvitation projectId={projectId} />
      <Loaded query={invites}>
        {(data) => (
          <ul className="plain">
            {data.invites.map(({ id, role, expiresAt, createdAt }) => (
              <li key={id} className="card row">
                <span className="strong">{role}</span>
                <span className="quiet">valid until {clock(expiresAt)}</span>
                <span className="end">
                  <ConfirmButton
                    label="Revoke"
                    about={`the invitation of ${clock(createdAt)}`}
                    title="Revoke the invitation?"
                    run={() => revoke(id)}
                  >
                    Its link does not work any more.
                  </ConfirmButton>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

type Body = InputOf<'POST /api/projects/{projectId}/invites'>['body'];

function NewInvitation({ projectId }: { readonly projectId: string }) {
  const { client } = useServices();
  const creating = useChange(invitesKey(projectId), (body: Body) =>
    client.call('POST /api/projects/{projectId}/invites', { params: { projectId }, body }),
  );
  return (
    <Form
      className="card"
      error={creating.error}
      submit={(data) =>
        creating.mutate({
          role: oneOf(invitedRoles, data.get('role')) ?? 'viewer',
          expiresInDays: Number(data.get('expiresInDays')),
        })
      }
    >
      <div className="columns">
        <SelectField label="Role" name="role" choices={invitedRoles} defaultValue="maintainer" />
        <TextField
          label="Valid for days"
          name="expiresInDays"
          {...{ type: 'number', min: 1, max: 30, required: true }}
          defaultValue={7}
        />
      </div>
      <button type="submit" disabled={creating.isPending}>
        Create an invitation
      </button>
      {creating.data && <InvitationLink token={creating.data.token} />}
    </Form>
  );
}

/** The token is behind the `#`: no server, proxy or log receives it. */
function InvitationLink({ token }: { readonly token: string }) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const link = `${location.origin}/invite#${token}`;
  const copy = () => void navigator.clipboard.writeText(link).then(() => setCopied(true));
  return (
    <div className="notice good" role="status">
      <label htmlFor={id}>Send this link to one person. It is shown only now, and works once.</label>
      <div className="buttons">
        <input id={id} readOnly value={link} className="grow" onFocus={({ target }) => target.select()} />
        <button type="button" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </div>
    </div>
  );
}
