/**
 * The common domain of two hosts, if it has two labels or more: browsers may treat them as one
 * site. A public suffix such as co.uk is not recognised; that needs the Public Suffix List.
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
