export type Context = Readonly<Record<string, unknown>>;

/** The settings of the operator, as text and without defaults. */
export type GivenSettings = Readonly<Record<string, string>>;

/** The message has a line for each wrong setting. */
export class WrongSettings extends Error {}

/** A setting whose value is empty has its default: so the command line takes one back. */
export const withoutEmpty = (context: Context): Context =>
  Object.fromEntries(Object.entries(context).filter(([, value]) => value !== ''));

/** @throws {WrongSettings} for a name that no setting has */
export function givenSettings(context: Context, known: readonly string[]): GivenSettings {
  refuseUnknown(Object.keys(context), known);
  const entries = Object.entries(withoutEmpty(context)).filter(
    ([name, value]) => known.includes(name) && value !== undefined && value !== null,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Names of CDK's own context have a character that no setting has. */
function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => /^[a-z]\w*$/i.test(name) && !known.includes(name));
  if (unknown.length === 0) return;
  const lines = unknown.map((name) => {
    const meant = known.find((each) => isNear(each.toLowerCase(), name.toLowerCase()));
    return `${name} is no setting${meant ? `. Do you mean ${meant}?` : ''}`;
  });
  throw new WrongSettings(`${lines.join('\n')}\ndocs/deploying.md lists all settings.`);
}

/** With one letter too many, too few or another, or two letters in the wrong order. */
function isNear(known: string, name: string): boolean {
  const begin = [...known].findIndex((letter, index) => letter !== name[index]);
  const at = begin === -1 ? known.length : begin;
  const [left, right] = [known.slice(at), name.slice(at)];
  const swapped = `${right[1] ?? ''}${right[0] ?? ''}${right.slice(2)}`;
  return [right, right.slice(1)].includes(left.slice(1)) || [right.slice(1), swapped].includes(left);
}
