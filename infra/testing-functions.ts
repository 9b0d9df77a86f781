import type { Resource, Synthesised } from './testing.js';

export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: unknown;
}

interface DeployedFunction {
  /** As in `functionFiles`. */
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly statements: readonly Statement[];
}

/** Every function with the statements of its own role, as the templates say. */
export function functionsOf({ stacks }: Synthesised): ReadonlyMap<string, DeployedFunction> {
  const found = [...stacks.values()].flatMap((resources) =>
    Object.values(resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map((resource) => deployed(resource, resources)),
  );
  return new Map(found.map((made) => [made.name, made]));
}

function deployed(
  { Properties = {} }: Resource,
  stack: Readonly<Record<string, Resource>>,
): DeployedFunction {
  // A template is plain JSON: what is not there shows as a failing expectation.
  const { Environment, Role } = Properties as {
    Environment: { Variables: Record<string, unknown> };
    Role: { 'Fn::GetAtt': [string, string] };
  };
  const role = stack[Role['Fn::GetAtt'][0]];
  if (!role) throw new Error(`Its role is not in its stack: ${JSON.stringify(Role)}`);
  return {
    name: String(Environment.Variables.POWERTOOLS_SERVICE_NAME),
    properties: Properties,
    environment: Environment.Variables,
    statements: statementsOf(role),
  };
}

/** Statements of a role's inline policies. */
function statementsOf({ Properties = {} }: Resource): readonly Statement[] {
  const { Policies = [] } = Properties as {
    Policies?: { PolicyDocument: { Statement: Record<string, unknown>[] } }[];
  };
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).map((statement) => ({
    actions: listed(statement.Action).map(String),
    resources: listed(statement.Resource).map((resource) => JSON.stringify(resource)),
    conditions: statement.Condition,
  }));
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

export function actionsOf(made: DeployedFunction | undefined): readonly string[] {
  return made?.statements.flatMap(({ actions }) => actions) ?? [];
}
