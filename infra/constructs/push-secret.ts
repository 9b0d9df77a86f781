import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { punctuation } from './origin-secret.js';
import type { ServiceFunction } from './service-function.js';

/** The random text that the key pair of push messages (VAPID) is computed from. */
export class PushSecret extends Construct {
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, { retain }: { readonly retain: boolean }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Berth: secret of the key that signs push messages',
      generateSecretString: { passwordLength: 48, excludeCharacters: punctuation },
      // Another one ends every subscription: browsers are bound to the key.
      removalPolicy: retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'A rotation would end the push subscriptions of all browsers.',
    });
  }

  grantUse(to: ServiceFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], this.secret.secretArn);
    to.setEnvironment({ PUSH_SECRET_ARN: this.secret.secretArn });
  }
}
