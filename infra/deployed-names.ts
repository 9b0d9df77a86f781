import type { Synthesised } from './testing.js';

/** The names that a later deployment must keep, because CloudFormation cannot move them. */
export interface DeployedNames {
  /** Exports: a stack cannot drop one while another stack imports it. */
  readonly exports: readonly string[];
  /** Route key to `<stack>/<logical id>`: API Gateway refuses a second route with the same key. */
  readonly routes: Readonly<Record<string, string>>;
  /** Route keys with settings at the stage: API Gateway keeps these when their route is gone. */
  readonly anonymousRoutes: readonly string[];
  /** `<stack>/<logical id>` of the functions of sagas: an execution calls those of its start. */
  readonly steps: readonly string[];
}

export function deployedNames(deployment: Synthesised): DeployedNames {
  return {
    exports: exportsOf(deployment).toSorted(),
    routes: routesOf(deployment),
    anonymousRoutes: deployment
      .of('AWS::ApiGatewayV2::Stage')
      .flatMap(({ Properties }) => Object.keys(Properties?.RouteSettings ?? {}))
      .toSorted(),
    steps: stepsOf(deployment).toSorted(),
  };
}

const stepsOf = ({ stacks }: Synthesised): readonly string[] =>
  [...stacks]
    .filter(([stack]) => stack.endsWith('-sagas'))
    .flatMap(([stack, resources]) =>
      Object.entries(resources)
        .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
        .map(([id]) => `${stack}/${id}`),
    );

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
  const vanished = (name: 'exports' | 'anonymousRoutes' | 'steps') => {
    const kept = new Set(after[name]);
    return before[name].filter((each) => !kept.has(each));
  };
  const moved = Object.entries(before.routes).filter(
    ([key, id]) => after.routes[key] !== undefined && after.routes[key] !== id,
  );
  return [
    ...vanished('exports').map(
      (name) =>
        `The export ${name} vanishes. Keep it with exportValue() until a release without its imports is deployed.`,
    ),
    ...moved.map(
      ([key, id]) =>
        `The route ${key} moves from ${id} to ${after.routes[key]}. Keep the file of its handler.`,
    ),
    ...vanished('anonymousRoutes').map(
      (key) =>
        `The route ${key} vanishes, or is no longer anonymous. The stage keeps its settings, and the next update of the stage fails: keep the route, and let it answer 410.`,
    ),
    ...vanished('steps').map(
      (id) =>
        `The step ${id} vanishes. Executions that began before the update call it for up to two days: keep it for one release.`,
    ),
  ];
}
