/** What must hold of an item for a write to happen; every part must. */
export interface Conditions {
  readonly exists?: boolean;
  readonly equals?: Readonly<Record<string, string | number | boolean>>;
  readonly oneOf?: Readonly<Record<string, readonly string[]>>;
  readonly present?: readonly string[];
  readonly absent?: readonly string[];
  /** Attribute absent, or smaller than the given value. */
  readonly absentOrBefore?: Readonly<Record<string, string | number>>;
  /** Attribute greater than the given value. */
  readonly after?: Readonly<Record<string, string | number>>;
  /** A set that is absent or has fewer members. */
  readonly fewerThan?: Readonly<Record<string, number>>;
  /** A set that does not have this member. */
  readonly lacks?: Readonly<Record<string, string>>;
}

/** Names and values of one expression, handed out as they are used. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  private count = 0;

  /** Of an attribute, or of a field of a map: `decision.outcome`. */
  name(path: string): string {
    const parts = path.split('.');
    for (const part of parts) this.names[`#${part}`] = part;
    return parts.map((part) => `#${part}`).join('.');
  }

  value(value: unknown): string {
    this.count += 1;
    const placeholder = `:v${this.count}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

/** The condition expression of a write; `placeholders` collects its names and values. */
export function conditionExpression(conditions: Conditions, placeholders: Placeholders): string | undefined {
  const name = (attribute: string) => placeholders.name(attribute);
  const value = (given: unknown) => placeholders.value(given);
  const each = <Value>(part: Readonly<Record<string, Value>> | undefined, say: Say<Value>): string[] =>
    Object.entries(part ?? {}).map(([attribute, given]) => say(name(attribute), given));

  const parts = [
    ...existence(conditions.exists, name),
    ...each(conditions.equals, (at, given) => `${at} = ${value(given)}`),
    ...each(conditions.after, (at, given) => `${at} > ${value(given)}`),
    ...each(conditions.oneOf, (at, given) => `${at} IN (${given.map(value).join(', ')})`),
    ...(conditions.present ?? []).map((attribute) => `attribute_exists(${name(attribute)})`),
    ...(conditions.absent ?? []).map((attribute) => `attribute_not_exists(${name(attribute)})`),
    ...each(
      conditions.absentOrBefore,
      (at, given) => `(attribute_not_exists(${at}) OR ${at} < ${value(given)})`,
    ),
    ...each(
      conditions.fewerThan,
      (at, given) => `(attribute_not_exists(${at}) OR size(${at}) < ${value(given)})`,
    ),
    ...each(conditions.lacks, (at, given) => `NOT contains(${at}, ${value(given)})`),
  ];
  return parts.length > 0 ? parts.join(' AND ') : undefined;
}

type Say<Value> = (attribute: string, given: Value) => string;

function existence(exists: boolean | undefined, name: (attribute: string) => string): string[] {
  if (exists === undefined) return [];
  return [exists ? `attribute_exists(${name('pk')})` : `attribute_not_exists(${name('pk')})`];
}
