import { useQuery } from '@tanstack/react-query';
import type { AnswerOf, InputOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { nameOf } from '../launch/choices.js';
import { ago } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Loaded } from '../ui/loaded.js';
import { NewCredential } from './new-credential.js';
import { providers } from './providers.js';

type Credential = AnswerOf<'GET /api/credentials'>['credentials'][number];
export type CredentialBody = InputOf<'POST /api/credentials'>['body'];
export type StoredCredential = AnswerOf<'POST /api/credentials'>;

/** Credentials of one owner: a person or a project. */
export interface Wallet {
  readonly key: readonly string[];
  list(): Promise<{ readonly credentials: readonly Credential[] }>;
  store(body: CredentialBody): Promise<StoredCredential>;
  remove(provider: Credential['provider']): Promise<unknown>;
}

interface CredentialsProps {
  readonly wallet: Wallet;
  readonly mayChange: boolean;
}

export function Credentials({ wallet, mayChange }: CredentialsProps) {
  const { queries } = useServices();
  const stored = useQuery({ queryKey: wallet.key, queryFn: () => wallet.list() });
  const remove = async (provider: Credential['provider']) => {
    await wallet.remove(provider);
    await queries.invalidateQueries({ queryKey: wallet.key });
  };
  return (
    <>
      <Loaded query={stored}>
        {({ credentials }) => (
          <>
            {credentials.length === 0 && <p className="card">None stored.</p>}
            <ul className="plain">
              {credentials.map(({ id, provider, credentialKind, maskedKey, updatedAt }) => (
                <li key={id} className="card row">
                  <span className="strong">{nameOf(providers, provider) ?? provider}</span>
                  <code>{maskedKey}</code>
                  <span className="quiet">
                    {credentialKind === 'api-key' ? 'key' : 'sign-in of the agent'}
                  </span>
                  <span className="quiet">stored {ago(updatedAt)}</span>
                  {mayChange && (
                    <span className="end">
                      <ConfirmButton
                        label="Delete"
                        about={`the credential of ${provider}`}
                        title={`Delete the credential of ${nameOf(providers, provider) ?? provider}?`}
                        run={() => remove(provider)}
                      >
                        Agents that start later do not receive it. A running agent keeps it until it ends.
                      </ConfirmButton>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {mayChange && <NewCredential wallet={wallet} />}
    </>
  );
}
