import { describe, expect, it } from 'vitest';
import { type Resource, synthesise } from './testing.js';

/**
 * Rules of AWS that the emulator does not hold. docs/aws-readiness.md names the source of each.
 */
const deployments = [
  ['of a new deployment', {}],
  ['of a deployment that rotates the origin secret', { originSecretGenerations: [2, 1] }],
] as const;

const maxDynamicReferences = 60;
const maxManagementCallsAtOnce = 10;

describe.each(deployments)('a template %s', (_, context) => {
  const deployment = synthesise(context);
  const stacks = [...deployment.stacks];

  it('has no more dynamic references than CloudFormation resolves', () => {
    for (const [name, resources] of stacks) {
      const references = JSON.stringify(resources).match(/\{\{resolve:/g) ?? [];
      expect(references.length, name).toBeLessThan(maxDynamicReferences / 2);
    }
  });

  it('lets CloudFormation make no more routes at a time than API Gateway takes calls a second', () => {
    for (const [name, resources] of stacks) {
      const ids = Object.keys(resources).filter((id) => isOfApi(resources[id]));
      const free = ids.filter((id) => waitsForNone(resources, id));
      expect(free.length, name).toBeLessThanOrEqual(maxManagementCallsAtOnce);
    }
  });

  it('lets no two routes wait for the same one, which would widen their lane', () => {
    for (const [name, resources] of stacks) {
      const awaited = Object.values(resources).filter(isOfApi).flatMap(lanesOf);
      expect(new Set(awaited).size, name).toBe(awaited.length);
    }
  });
});

describe('a function', () => {
  const functions = synthesise().of('AWS::Lambda::Function');

  it('that sends to a queue which invokes it is not stopped as a loop', () => {
    const loops = functions
      .filter(({ Properties }) => Properties?.RecursiveLoop === 'Allow')
      .map(({ Properties }) => Properties?.Description);
    expect(loops.sort()).toEqual(['lambdas/queues/deliver-prompts.ts', 'lambdas/queues/send-pushes.ts']);
  });
});

function isOfApi(resource: Resource | undefined): boolean {
  return /^AWS::ApiGatewayV2::(Integration|Route)$/.test(resource?.Type ?? '');
}

/** A route refers to its integration, which may depend on another route. */
function waitsForNone(resources: Readonly<Record<string, Resource>>, id: string): boolean {
  const resource = resources[id];
  if (resource?.Type === 'AWS::ApiGatewayV2::Route') return false;
  return lanesOf(resource).length === 0;
}

function lanesOf(resource: Resource | undefined): readonly string[] {
  return [resource?.DependsOn ?? []].flat().filter((id) => /Route[0-9A-F]{8}$/.test(id));
}
