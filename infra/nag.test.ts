import { fileURLToPath } from 'node:url';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { routes } from '../lambdas/routes.js';
import { writtenDefinitions } from './saga-definitions.js';
import { buildApp } from './testing.js';

// What a saga may do follows from what its definition calls.
const definitions = writtenDefinitions(fileURLToPath(new URL('..', import.meta.url)), {
  allowMissing: false,
});

const everyOption = {
  domainName: 'berth.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
  hostedZoneId: 'Z1',
  hostedZoneName: 'example.com',
  nodesDomain: 'nodes.example.com',
  nodesZoneId: 'Z2',
  alarmTopicArn: 'arn:aws:sns:us-east-1:111111111111:alarms',
  signingKeyGenerations: [1, 2],
};

function checked(app: App): App {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

describe('cdk-nag', () => {
  it.each([
    ['as it comes', {}],
    ['with every option', everyOption],
  ])('finds nothing unacknowledged in a deployment %s', (_, context) => {
    const app = checked(buildApp(context, routes, definitions));
    expect(() => app.synth()).not.toThrow();
  });

  it('would find a plain bucket, so the silence above means something', () => {
    const app = checked(new App({ builtinCloudFormationValidation: false }));
    new Bucket(new Stack(app, 'careless'), 'Bucket');
    expect(() => app.synth()).toThrow('AwsSolutions-S10');
  });
});
