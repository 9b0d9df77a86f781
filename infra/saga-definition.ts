interface Substitutions {
  readonly arns: ReadonlyMap<string, string>;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Whole values only: `"${PlaceWorkspace}"`, `"${NodeReadyTimeoutSeconds}"`. */
const placeholder = /^\$\{(\w+)\}$/;

/**
 * Puts ARNs and numbers into a state machine's definition. A number replaces its quoted placeholder
 * as a number, which CloudFormation's own substitution cannot do.
 *
 * @throws {Error} the definition names something that is neither a step of this saga nor a known
 * number
 */
export function fillDefinition(definition: unknown, substitutions: Substitutions): unknown {
  if (typeof definition === 'string') return fillText(definition, substitutions);
  if (Array.isArray(definition)) return definition.map((item) => fillDefinition(item, substitutions));
  if (definition === null || typeof definition !== 'object') return definition;
  return Object.fromEntries(
    Object.entries(definition).map(([key, value]) => [key, fillDefinition(value, substitutions)]),
  );
}

function fillText(text: string, { arns, numbers }: Substitutions): string | number {
  const name = placeholder.exec(text)?.[1];
  if (name === undefined) return text;
  const value = arns.get(name) ?? numbers[name];
  if (value === undefined) throw new Error(`The definition names ${text}, which is no step of this saga`);
  return value;
}

/** `place-workspace` is `PlaceWorkspace` in a definition. */
export function stateName(step: string): string {
  return step.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
