import { App, type Stack, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdkJson from '../cdk.json' with { type: 'json' };
import type { Route } from '../lambdas/route-row.js';
import { routes as allRoutes } from '../lambdas/routes.js';
import type { SagaName } from '../lambdas/saga-names.js';
import { steps } from '../lambdas/sagas/steps.js';
import { addBerth } from './berth.js';
import { stateName } from './saga-definition.js';
import type { SagaDefinitions } from './saga-definitions.js';
import { parseSettings } from './settings.js';

/** What a template says of one resource. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

export interface Synthesised {
  /** Stack name to resources by logical id. */
  readonly stacks: ReadonlyMap<string, Readonly<Record<string, Resource>>>;
  /** All resources of a type, over all stacks. */
  of(type: string): readonly Resource[];
  template(stack: string): Template;
}

/** The deployment with empty functions: no bundle is needed, and no asset is staged. */
export function buildApp(
  context: Readonly<Record<string, unknown>> = {},
  routes: readonly Route[] = allRoutes,
  definitions: SagaDefinitions = callsEachStep,
): App {
  const app = new App({
    analyticsReporting: false,
    context: { ...cdkJson.context },
    // Two thirds of the time of a synthesis; `npm run check` validates the templates.
    builtinCloudFormationValidation: false,
  });
  addBerth(app, {
    settings: parseSettings({ superadmins: '1001', ...context }),
    routes,
    code: () => Code.fromInline('export const handler = () => {};'),
    definitions,
  });
  return app;
}

let standard: Synthesised | undefined;

/** A deployment with the standard settings is synthesised once in a process: it is only read. */
export function synthesise(
  context: Readonly<Record<string, unknown>> = {},
  routes: readonly Route[] = allRoutes,
): Synthesised {
  if (Object.keys(context).length > 0 || routes !== allRoutes) return newSynthesis(context, routes);
  standard ??= newSynthesis(context, routes);
  return standard;
}

function newSynthesis(context: Readonly<Record<string, unknown>>, routes: readonly Route[]): Synthesised {
  const app = buildApp(context, routes);
  const stacks = app.node.children.filter((child): child is Stack => !Stage.isStage(child) && isStack(child));
  const templates = new Map(stacks.map((stack) => [stack.stackName, Template.fromStack(stack)]));
  const resources = new Map([...templates].map(([name, template]) => [name, resourcesOf(template)]));
  return {
    stacks: resources,
    of: (type) =>
      [...resources.values()].flatMap((stack) => Object.values(stack)).filter(({ Type }) => Type === type),
    template: (name) => {
      const template = templates.get(name);
      if (!template) throw new Error(`There is no stack ${name}, only ${[...templates.keys()].join(', ')}`);
      return template;
    },
  };
}

function isStack(construct: unknown): construct is Stack {
  return typeof construct === 'object' && construct !== null && 'stackName' in construct;
}

function resourcesOf(template: Template): Readonly<Record<string, Resource>> {
  return template.toJSON().Resources ?? {};
}

/** A definition that contains all its steps. Tests in state-machines cover their order. */
function callsEachStep(saga: SagaName): unknown {
  const names = steps.filter((step) => step.saga === saga).map(({ name }) => stateName(name));
  const states = names.map((name, index) => [
    name,
    {
      Type: 'Task',
      Resource: `\${${name}}`,
      ...(index + 1 < names.length ? { Next: names[index + 1] } : { End: true }),
    },
  ]);
  return { QueryLanguage: 'JSONata', StartAt: names[0], States: Object.fromEntries(states) };
}
