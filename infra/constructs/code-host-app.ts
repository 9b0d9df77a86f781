import { RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Settings } from '../settings.js';
import { punctuation } from './origin-secret.js';
import type { ServiceFunction } from './service-function.js';

/**
 * The code host application: its secret, filled by the operator after the first deployment, the
 * secret of its webhooks, and its addresses.
 */
export class CodeHostApp extends Construct {
  readonly secretArn: string;
  readonly webhookSecretArn: string;
  private readonly settings: Settings;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.settings = settings;
    const empty = SecretValue.unsafePlainText('');
    const secret = new Secret(this, 'Secret', {
      description: 'Berth: code host application {clientId, clientSecret, appId, privateKey}',
      // Empty on purpose: CloudFormation writes it once, and never again over what the operator
      // puts in.
      secretObjectValue: { clientId: empty, clientSecret: empty, appId: empty, privateKey: empty },
      removalPolicy: settings.retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The code host has no API to rotate an application’s secret; the runbook has the manual steps.',
    });
    this.secretArn = secret.secretArn;
    this.webhookSecretArn = this.addWebhookSecret(settings).secretArn;
  }

  /** Apart from the application's secret: its one reader is a function that anybody can call. */
  private addWebhookSecret(settings: Settings): Secret {
    const secret = new Secret(this, 'WebhookSecret', {
      description: 'Berth: secrets that sign webhooks of the code host {current, previous}',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ previous: '' }),
        generateStringKey: 'current',
        passwordLength: 48,
        excludeCharacters: punctuation,
      },
      removalPolicy: settings.retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The code host has no API to rotate the secret of a webhook; deploying.md has the manual steps.',
    });
    return secret;
  }

  grantWebhook(to: ServiceFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], this.webhookSecretArn);
    to.setEnvironment({ CODE_HOST_WEBHOOK_SECRET_ARN: this.webhookSecretArn });
  }

  grantUse(to: ServiceFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], this.secretArn);
    to.setEnvironment({
      CODE_HOST_SECRET_ARN: this.secretArn,
      CODE_HOST_URL: this.settings.codeHostUrl,
      CODE_HOST_API_URL: this.settings.codeHostApiUrl,
      CODE_HOST_APP_SLUG: this.settings.codeHostAppSlug,
    });
  }
}
