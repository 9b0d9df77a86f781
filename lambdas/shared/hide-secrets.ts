const secretName = /(token|secret|password|authorization|cookie|privatekey|credential|verifier)s?$/i;

/** A JSON replacer that removes fields with the name of a secret, at any depth. */
export function hideSecrets(name: string, value: unknown): unknown {
  if (!secretName.test(name)) return value;
  return value === undefined || value === null ? value : '[hidden]';
}
