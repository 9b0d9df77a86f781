import { useState } from 'react';
import { oneOf } from '../launch/choices.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import { useChange } from '../ui/use-change.js';
import type { CredentialBody, StoredCredential, Wallet } from './credentials.js';
import { kinds, providers } from './providers.js';

/** Stores a credential. One of the same provider is replaced. */
export function NewCredential({ wallet }: { readonly wallet: Wallet }) {
  const [kind, setKind] = useState('api-key');
  const storing = useChange(wallet.key, (body: CredentialBody) => wallet.store(body));
  return (
    <Form
      // What is stored does not stay in the form.
      key={storing.data?.updatedAt ?? ''}
      className="card"
      error={storing.error}
      submit={(data) => storing.mutate(readCredential(data))}
    >
      <h3>Store a credential</h3>
      <div className="columns">
        <SelectField label="Provider" name="provider" choices={providers} />
        <SelectField
          label="Kind"
          name="credentialKind"
          choices={kinds}
          value={kind}
          onChange={({ target }) => setKind(target.value)}
        />
      </div>
      {kind === 'api-key' ? (
        <TextField label="Key" name="token" type="password" required maxLength={70_000} />
      ) : (
        <TextArea label="Token or file" name="token" required maxLength={70_000} spellCheck={false} />
      )}
      <div className="bar">
        <button type="submit" className="primary" disabled={storing.isPending}>
          Store
        </button>
        <span role="status">{storing.data && <Checked stored={storing.data} />}</span>
      </div>
    </Form>
  );
}

function Checked({ stored: { validation } }: { readonly stored: StoredCredential }) {
  if (validation.validationMode === 'format') return <>Stored. It was not checked with its provider.</>;
  if (validation.valid) return <span className="good">Stored. Its provider accepts it.</span>;
  return <span className="bad">Stored, but its provider refuses it: {validation.message}</span>;
}

const readCredential = (data: FormData): CredentialBody => ({
  provider: oneOf(providers, data.get('provider')) ?? 'anthropic',
  credentialType: 'agent-api-key',
  credentialKind: oneOf(kinds, data.get('credentialKind')) ?? 'api-key',
  token: String(data.get('token')),
});
