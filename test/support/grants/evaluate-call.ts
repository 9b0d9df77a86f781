export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface Policy {
  readonly Statement: Statement | readonly Statement[];
}

/** What IAM decides about: one action on one resource, with the condition keys of the request. */
export interface Check {
  readonly action: string;
  /** Empty when the request does not state it: any resource of a grant then matches. */
  readonly resource: string;
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
}

/** The actions of statements that allow the call; none when it is denied. */
export function allowedBy(check: Check, policies: readonly Policy[]): readonly string[] {
  const statements = policies.flatMap(({ Statement }) => listOf(Statement));
  const met = statements.filter((statement) => applies(statement, check));
  if (met.some(({ Effect }) => Effect === 'Deny')) return [];
  return met.flatMap(({ Action }) => listOf(Action)).filter((action) => isLike(action, check.action, 'i'));
}

function applies({ Action, Resource, Condition = {} }: Statement, check: Check): boolean {
  return (
    listOf(Action).some((pattern) => isLike(pattern, check.action, 'i')) &&
    (check.resource === '' || listOf(Resource).some((pattern) => isLike(pattern, check.resource))) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => isMet(operator, check.keys[key], listOf(wanted))),
    )
  );
}

/** @throws {Error} the operator is not known here: a policy must not be taken as met by mistake */
function isMet(
  operator: string,
  present: string | readonly string[] | undefined,
  wanted: readonly string[],
): boolean {
  const values = present === undefined ? [] : listOf(present);
  switch (operator) {
    case 'StringEquals':
      return values.length > 0 && values.every((value) => wanted.includes(value));
    case 'ArnEquals':
    case 'ArnLike':
    case 'StringLike':
      return values.length > 0 && values.every((value) => wanted.some((pattern) => isLike(pattern, value)));
    case 'ForAllValues:StringEquals':
      return values.every((value) => wanted.includes(value));
    case 'ForAllValues:StringLike':
      return values.every((value) => wanted.some((pattern) => isLike(pattern, value)));
    default:
      throw new Error(`The operator ${operator} is not evaluated: add it to evaluate-call.ts`);
  }
}

function isLike(pattern: string, value: string, flags = ''): boolean {
  const text = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${text}$`, flags).test(value);
}

export const listOf = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? (value as readonly Value[]) : [value as Value];
