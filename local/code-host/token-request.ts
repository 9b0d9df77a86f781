/** What an installation token is asked for. */
export interface TokenRequest {
  readonly repositories?: string[];
  readonly permissions?: { readonly contents?: string };
}

export function parseTokenRequest(body: string): TokenRequest | undefined {
  if (body === '') return {};
  try {
    const parsed: unknown = JSON.parse(body);
    // Both fields are optional, and a field of another kind fails where it is used, as a 500 of a
    // stand-in.
    return typeof parsed === 'object' && parsed !== null ? (parsed as TokenRequest) : undefined;
  } catch {
    return undefined;
  }
}
