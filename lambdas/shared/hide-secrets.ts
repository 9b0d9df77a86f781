const secretName = /(token|secret|password|authorization|cookie|privatekey|credential|verifier)s?$/i;

/** A JSON replacer: whatever is named like a secret is not written to a log, however deep it lies. */
export function hideSecrets(name: string, value: unknown): unknown {
  if (!secretName.test(name)) return value;
  return value === undefined || value === null ? value : '[hidden]';
}
