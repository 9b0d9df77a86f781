/**
 * The domain that two hosts have in common, when browsers may count them as one site: two labels or
 * more. Whether such a domain is itself a public suffix, as co.uk is, only the Public Suffix List
 * tells.
 */
export function sharedSite(one: string, other: string): string | null {
  const [a, b] = [one, other].map((host) => host.toLowerCase().replace(/\.$/, '').split('.').reverse());
  const labels: string[] = [];
  for (const [index, label] of (a ?? []).entries()) {
    if (b?.[index] !== label) break;
    labels.unshift(label);
  }
  return labels.length < 2 ? null : labels.join('.');
}
