import { createHash } from 'node:crypto';
import type { Log } from '../../shared/log.js';
import type { Credential, Provider } from '../records/credentials/credential.js';

export type CredentialValidation =
  | {
      readonly valid: boolean;
      readonly message: string;
      readonly validationMode: 'provider';
      readonly status: number;
    }
  | { readonly valid: true; readonly message: string; readonly validationMode: 'format' };

/** Origins of the providers' APIs, without those that are not asked. */
export type ProviderUrls = Readonly<Partial<Record<Provider, string>>>;

interface Question {
  readonly path: string;
  headers(token: string): Readonly<Record<string, string>>;
  /** Statuses with which the provider refuses a key. */
  readonly refused: readonly number[];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Requests that list models: each takes an API key, and costs nothing. */
const questions: Readonly<Partial<Record<Provider, Question>>> = {
  anthropic: {
    path: '/v1/models?limit=1',
    headers: (token) => ({ 'x-api-key': token, 'anthropic-version': '2023-06-01' }),
    refused: [401, 403],
  },
  openai: { path: '/v1/models', headers: bearer, refused: [401, 403] },
  google: {
    path: '/v1beta/models?pageSize=1',
    headers: (token) => ({ 'x-goog-api-key': token }),
    // Google answers 400 to a key that does not exist.
    refused: [400, 401, 403],
  },
  mistral: { path: '/v1/models', headers: bearer, refused: [401, 403] },
};

const timeoutMs = 3_000;
const keptMs = 5 * 60_000;
const maxKept = 200;

interface CheckedCredential extends Pick<Credential, 'provider' | 'credentialKind'> {
  readonly token: string;
}

/** Asks providers whether they accept a key, and keeps their answers for five minutes. */
export class ProviderCheck {
  private readonly kept = new Map<
    string,
    { readonly validation: CredentialValidation; readonly at: number }
  >();

  constructor(private readonly urls: ProviderUrls) {}

  /** Never throws: a key is stored also when its provider refuses it or does not answer. */
  async validate(credential: CheckedCredential, { now, log }: { readonly now: Date; readonly log: Log }) {
    const { provider, credentialKind, token } = credential;
    const url = this.urls[provider];
    const question = questions[provider];
    if (credentialKind !== 'api-key' || !url || !question)
      return notChecked('Berth cannot ask the provider about this kind of credential.');
    const name = createHash('sha256').update(`${provider} ${token}`).digest('hex');
    const earlier = this.kept.get(name);
    if (earlier && now.getTime() - earlier.at < keptMs) return earlier.validation;
    const validation = await ask(new URL(question.path, url), question, token).catch((error: unknown) => {
      log.warn('Provider did not answer the check of a key', { provider, error });
      return notChecked('The provider did not answer.');
    });
    if (validation.validationMode === 'provider') this.keep(name, validation, now);
    return validation;
  }

  private keep(name: string, validation: CredentialValidation, now: Date): void {
    if (this.kept.size >= maxKept) this.kept.clear();
    this.kept.set(name, { validation, at: now.getTime() });
  }
}

async function ask(url: URL, { headers, refused }: Question, token: string): Promise<CredentialValidation> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { headers: headers(token), redirect: 'error', signal });
  await response.body?.cancel();
  const { status } = response;
  if (response.ok) {
    return { valid: true, message: 'The provider accepts the key.', validationMode: 'provider', status };
  }
  if (refused.includes(status)) {
    const message = `The provider refuses the key (${status}). It is stored; replace it before you start an agent.`;
    return { valid: false, message, validationMode: 'provider', status };
  }
  return notChecked(`The provider answered ${status}.`);
}

const notChecked = (reason: string): CredentialValidation => ({
  valid: true,
  message: `The key was not checked with its provider: only its format is valid. ${reason}`,
  validationMode: 'format',
});
