import type { Synthesised } from './testing.js';

/** The names that a later deployment must keep, because CloudFormation cannot move them. */
export interface DeployedNames {
  /** Exports: a stack cannot drop one while another stack imports it. */
  readonly exports: readonly string[];
  /** Route key to `<stack>/<logical id>`: API Gateway refuses a second route with the same key. */
  readonly routes: Readonly<Record<string, string>>;
}

export function deployedNames(deployment: Synthesised): DeployedNames {
  return { exports: exportsOf(deployment).toSorted(), routes: routesOf(deployment) };
}

/** Names of exports that a stack of the deployment imports. */
export function importsOf({ stacks, template }: Synthesised): ReadonlySet<string> {
  const texts = [...stacks.keys()].map((stack) => JSON.stringify(template(stack).toJSON()));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name ?? '')),
  );
}

export function exportsOf({ stacks, template }: Synthesised): readonly string[] {
  return [...stacks.keys()].flatMap((stack) => {
    const outputs: Record<string, { Export?: { Name: string } }> = template(stack).toJSON().Outputs ?? {};
    return Object.values(outputs).flatMap(({ Export }) => Export?.Name ?? []);
  });
}

function routesOf({ stacks }: Synthesised): DeployedNames['routes'] {
  const found = [...stacks].flatMap(([stack, resources]) =>
    Object.entries(resources)
      .filter(([, { Type }]) => Type === 'AWS::ApiGatewayV2::Route')
      .map(([id, { Properties }]) => [String(Properties?.RouteKey), `${stack}/${id}`] as const),
  );
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** One line for each name of `before` that an update to `after` cannot keep. */
export function brokenNames(before: DeployedNames, after: DeployedNames): readonly string[] {
  const exports = new Set(after.exports);
  const vanished = before.exports.filter((name) => !exports.has(name));
  const moved = Object.entries(before.routes).filter(
    ([key, id]) => after.routes[key] !== undefined && after.routes[key] !== id,
  );
  return [
    ...vanished.map(
      (name) =>
        `The export ${name} vanishes. Keep it with exportValue() until a release without its imports is deployed.`,
    ),
    ...moved.map(
      ([key, id]) =>
        `The route ${key} moves from ${id} to ${after.routes[key]}. Keep the file of its handler.`,
    ),
  ];
}
