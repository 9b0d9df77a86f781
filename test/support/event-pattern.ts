type Pattern = { readonly [field: string]: Pattern | readonly unknown[] };
type Fields = Readonly<Record<string, unknown>>;

const isAnythingBut = (rule: unknown): rule is { readonly 'anything-but': readonly unknown[] } =>
  typeof rule === 'object' && rule !== null && 'anything-but' in rule;

/** As EventBridge matches an absent field: no rule of ours allows one. */
function allows(rule: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  return isAnythingBut(rule) ? !rule['anything-but'].includes(value) : rule === value;
}

/** Whether an event source mapping with this filter passes the record, for the rules we use. */
export function matchesPattern(pattern: object, record: object): boolean {
  return Object.entries(pattern as Pattern).every(([field, rules]) => {
    const value = (record as Fields)[field];
    if (Array.isArray(rules)) return rules.some((rule) => allows(rule, value));
    return typeof value === 'object' && value !== null && matchesPattern(rules, value);
  });
}
