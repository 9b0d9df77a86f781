import { RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.js';

/** Seals stored secrets, each with an encryption context naming owner and record. */
export class DataKey extends Construct {
  private readonly key: Key;

  constructor(scope: Construct, id: string, { retain }: { retain: boolean }) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Berth: encrypts stored secrets',
      enableKeyRotation: true,
      removalPolicy: retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
  }

  grantSeal(to: ServiceFunction): void {
    to.allow(['kms:GenerateDataKey'], this.key.keyArn);
    to.setEnvironment({ DATA_KEY_ARN: this.key.keyArn });
  }

  grantOpen(to: ServiceFunction): void {
    to.allow(['kms:Decrypt'], this.key.keyArn);
    to.setEnvironment({ DATA_KEY_ARN: this.key.keyArn });
  }
}
