import { type App, Tags } from 'aws-cdk-lib';
import type { Route } from '../lambdas/route-row.js';
import { fallback } from '../lambdas/routes.js';
import { NodeDns } from './constructs/node-dns.js';
import type { FunctionCode } from './function-code.js';
import { functionEnvironment } from './function-environment.js';
import type { SagaDefinitions } from './saga-definitions.js';
import type { Settings } from './settings.js';
import { ApiStack, apiStackCount, apiStackOf } from './stacks/api-stack.js';
import { DataStack } from './stacks/data-stack.js';
import { EdgeStack } from './stacks/edge-stack.js';
import { FleetStack } from './stacks/fleet-stack.js';
import { LiveStack } from './stacks/live-stack.js';
import { SagasStack } from './stacks/sagas-stack.js';
import { StageStack } from './stacks/stage-stack.js';
import { WatchStack } from './stacks/watch-stack.js';

interface BerthProps {
  readonly settings: Settings;
  readonly routes: readonly Route[];
  readonly code: FunctionCode;
  readonly definitions: SagaDefinitions;
}

/** The whole deployment. Stacks are cut by how often they change and by what is lost with them. */
export function addBerth(app: App, { settings, routes, code, definitions }: BerthProps): void {
  const name = (part: string) => `${settings.deploymentId}-${part}`;
  const data = new DataStack(app, name('data'), { settings });
  const { fleet } = new FleetStack(app, name('fleet'), { settings, artifacts: data.artifacts });
  const edge = new EdgeStack(app, name('edge'), { settings, data });
  const { liveApi, httpApi, callbackUrl } = edge;

  const environment = functionEnvironment(settings, { data, edge });
  const { providerUrls } = settings;
  const outside = { data, fleet, dns: new NodeDns(settings), liveApi, callbackUrl, providerUrls };
  const { sagas } = new SagasStack(app, name('sagas'), {
    settings,
    granted: outside,
    environment,
    code,
    definitions,
  });
  const granted = { ...outside, sagas };
  const stage = new StageStack(app, name('stage'), {
    deploymentId: settings.deploymentId,
    apiId: httpApi.apiId,
    routes,
  });
  for (let index = 0; index < apiStackCount; index += 1) {
    const api = new ApiStack(app, name(`api-${index + 1}`), {
      routes: [...routes, fallback].filter((route) => apiStackOf(route) === index),
      apiId: httpApi.apiId,
      granted,
      environment,
      code,
      nodeReadConcurrency: settings.nodeReadConcurrency,
    });
    stage.addDependency(api);
  }
  new LiveStack(app, name('live'), { settings, granted, environment, code });
  new WatchStack(app, name('watch'), {
    settings,
    data,
    httpApiId: httpApi.apiId,
    sagas: [...sagas.values()],
  });

  Tags.of(app).add('berth:deployment', settings.deploymentId);
}
